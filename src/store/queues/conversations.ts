import type { Person } from "../../message.js";
import type { SessionId, SessionKey } from "../../session.js";
import type { Position } from "../common.js";

/**
 * Conversations of a person: the threads of their direct chat, the chat itself, and their sessions that no chat is in. The sessions of a
 * conversation are those that continue one another after a summary, and its forks.
 */
export interface Conversations {
  /** By last activity, newest first. */
  listConversations(query: ConversationQuery): Promise<ConversationPage>;
  /** Removes a conversation: its route, its sessions, and what the queues hold of it. A running turn can't write any more. */
  deleteConversation(conversation: DeletedConversation): Promise<void>;
}

export interface ConversationQuery {
  person: Person;
  /** The key of their direct chat, without a thread. */
  key: SessionKey;
  /** Only these, or only those with one of these sessions. */
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
  /** The thread; null: the chat itself; the first session of those that no chat is in. */
  id: string | null;
  /** Null: no chat is in it. */
  sessionKey: SessionKey | null;
  sessionId: SessionId;
  /** All of its sessions. */
  sessions: SessionId[];
  title: string | null;
  /** Its first words. */
  preview: string;
  lastActive: number;
  messageCount: number;
}

export interface DeletedConversation {
  person: Person;
  /** Null: no chat is in it. */
  sessionKey: SessionKey | null;
  sessions: readonly SessionId[];
}
