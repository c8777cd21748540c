import type { EventOutcome, InboundMessage } from "../../message.js";
import type { SessionId, SessionKey } from "../../session.js";
import type { TraceId } from "../../trace-id.js";
import type { NewReply, ReplyFile } from "./outbox.js";
import type { Owners } from "./owners.js";
import type { QuestionRow } from "./questions.js";
import type { RouteRow } from "./routes.js";

/** Inbound messages, from receipt to completion. */
export interface Inbox {
  /** Adds messages that aren't stored yet. Returns the new rows, in the given order, each with the route of its chat. */
  acceptMessages(messages: readonly AcceptedMessage[]): Promise<InboxRow[]>;
  /** An edit or deletion by the author: applied while the message waits, afterwards noted for the session's next turn. */
  changeMessage(change: MessageChange): Promise<ChangedMessage>;
  /** Waiting rows, oldest first, including delayed ones; or the rows of turns that run under a boot. */
  openMessages(which?: { owners?: Owners | undefined } | { runningUnder: string }): Promise<InboxRow[]>;
  /**
   * Waiting → cancelled: all rows of a chat, or those accepted before a row. Dead → cancelled (`in:12`) or removed
   * (`out:34`). Returns the count, and the chat's rows.
   */
  cancelMessages(which: Cancelled): Promise<{ cancelled: number; rows: InboxRow[] }>;
  /**
   * Waiting → running for a message that gets no turn in its chat. Returns the number of its attempts; undefined if it no longer
   * waits. Commands run at most once, so a repeated call returns undefined.
   */
  startMessage(start: MessageStart): Promise<number | undefined>;
  /**
   * Ends a message that gets no turn: it was refused, or its command ran. Stores its replies and a follow-up question to the
   * agent, if there is one; returns the follow-up's row.
   */
  settleMessage(settled: SettledMessage): Promise<InboxRow | undefined>;
  /** A message and its answers, found by its event id; for a command, also its follow-up question to the agent. */
  eventOutcome(platform: string, account: string, eventId: string): Promise<EventOutcome | undefined>;
  /** A chat or thread as its people saw it, oldest first: their messages and the answers. Without a thread: all threads. */
  chatLog(platform: string, chat: string | ThreadName, limit: number): Promise<ChatLogEntry[]>;
}

export type InboxState = "waiting" | "running" | "done" | "refused" | "cancelled" | "dead";

export type Cancelled =
  | { sessionKey: SessionKey; reason: string; before?: number | undefined }
  | { dead: readonly string[] };

export interface AcceptedMessage {
  message: InboundMessage;
  sessionKey: SessionKey;
  receivedAt: number;
  /** Saved with the message: everything before this position is in the inbox. */
  cursor?: { name: string; value: string } | undefined;
  /** Two chats can get the same key: the first one keeps it, another one gets `otherKey`. */
  guard?: KeyGuard | undefined;
}

export interface KeyGuard {
  /** Of the message's own origin. */
  tuple: string;
  otherKey: SessionKey;
}

export interface InboxRow {
  id: number;
  traceId: TraceId;
  sessionKey: SessionKey;
  message: InboundMessage;
  state: InboxState;
  attempts: number;
  receivedAt: number;
  /** Remaining delay when it was read. */
  waitSeconds: number;
  /** The last turn it was part of, if any. */
  turnId: string | null;
  error: string | null;
  /** The chat's route when the message was accepted; null if there was none. Only set on rows that were just accepted. */
  route?: RouteRow | null;
}

export interface Author {
  platform: string;
  userId: string;
  userName: string | null;
}

export interface MessageName {
  platform: string;
  account: string;
  chatId: string;
  messageId: string;
}

export interface MessageChange extends MessageName {
  /** Null if the author deleted it. */
  text: string | null;
  /** Does nothing once the turn has started, not even a note. */
  onlyWaiting?: true;
}

export type ChangedMessage =
  | { outcome: "changed" | "noted"; inboxId: number; sessionKey: SessionKey }
  /** The agent never saw the message, or the text is unchanged. */
  | { outcome: "ignored" };

/** A change to a message that the agent has already seen. */
export interface ChangeNote {
  inboxId: number;
  at: number;
  /** The text the agent has seen. */
  before: string;
  /** The new text; null if the author deleted it. */
  text: string | null;
  userName: string | null;
}

export type MessageStart = { inboxId: number; bootId: string } & (
  | { command: string }
  /** A task, in a session without a route. */
  | { turnId: string; sessionId: SessionId }
);

export interface SettledMessage {
  inboxId: number;
  state: "done" | "refused" | "cancelled";
  /** Why it was refused or ignored, or the command's name. */
  reason: string;
  replies: readonly NewReply[];
  follow?: AcceptedMessage;
}

export interface ThreadName {
  chatId: string;
  /** Null for messages outside threads. */
  threadId: string | null;
}

export interface ChatLogEntry {
  /** `in:12` or `out:34`: stable, so clients can detect repeats. */
  id: string;
  from: "user" | "bot";
  kind: NewReply["kind"] | "message";
  text: string;
  at: number;
  turnId: string | null;
  files: readonly ReplyFile[];
  /** The question it contains. */
  question?: QuestionRow;
  /** Set on a person's messages. */
  written?: { eventId: string; state: InboxState; reason: string | null };
}
