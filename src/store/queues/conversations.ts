import type { Person } from "../../message.js";
import type { SessionId, SessionKey } from "../../session.js";
import type { Position } from "../common.js";

/**
 * A person's conversations: their direct chat, its threads, and their sessions without a chat. A
 * conversation includes its forks and the sessions linked by compression.
 */
export interface Conversations {
  /** By last activity, newest first. */
  listConversations(query: ConversationQuery): Promise<ConversationPage>;
}

export interface ConversationQuery {
  person: Person;
  /** The key of their direct chat, without a thread. */
  key: SessionKey;
  /** Restricts the result to these, or to those with one of these sessions. */
  ids?: readonly string[];
  holding?: readonly SessionId[];
  except?: readonly string[];
  before?: Position;
  limit?: number;
}

export interface ConversationPage {
  conversations: ConversationRow[];
  next: Position | null;
}

export interface ConversationRow {
  /** The thread; null for the chat itself; the first session's id for a conversation without a chat. */
  id: string | null;
  /** Null if no chat uses it. */
  sessionKey: SessionKey | null;
  sessionId: SessionId;
  /** All of its sessions. */
  sessions: SessionId[];
  title: string | null;
  /** The beginning of its first message. */
  preview: string;
  lastActive: number;
  messageCount: number;
}
