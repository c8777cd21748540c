import type { EventOutcome, InboundMessage } from "../../message.js";
import type { SessionKey } from "../../session.js";
import type { TraceId } from "../../trace-id.js";
import type { NewReply, ReplyFile } from "./outbox.js";
import type { Owners } from "./owners.js";
import type { QuestionRow } from "./questions.js";
import type { RouteRow } from "./routes.js";

/** Messages that came in, from their receipt to their end. */
export interface Inbox {
  /** Adds messages that aren't stored yet. Returns the new rows, in the given order, each with the route of its chat. */
  acceptMessages(messages: readonly AcceptedMessage[]): Promise<InboxRow[]>;
  /** An edit or a deletion by the author: applied while the message waits, later noted for the session's next turn. */
  changeMessage(change: MessageChange): Promise<ChangedMessage>;
  /** Waiting rows, oldest first, including those whose pause isn't over; or the rows of turns that run under a boot. */
  openMessages(which?: { owners?: Owners | undefined } | { runningUnder: string }): Promise<InboxRow[]>;
  /** Waiting → cancelled: all rows of the session, or those accepted before this row. Returns them. */
  cancelWaiting(key: SessionKey, reason: string, before?: number): Promise<InboxRow[]>;
  /** Waiting → running, for a command: it runs at most once, so a repeated call gets false. */
  startCommand(inboxId: number, command: string, bootId: string): Promise<boolean>;
  /**
   * Ends a message that gets no turn: it was refused, or its command ran. Stores its replies and a follow-up question to the
   * agent, if there is one; returns the follow-up's row.
   */
  settleMessage(settled: SettledMessage): Promise<InboxRow | undefined>;
  /** A message and its answers, found by its event id; of a command, also what the agent was asked instead. */
  eventOutcome(platform: string, account: string, eventId: string): Promise<EventOutcome | undefined>;
  /** A chat, or a thread of it, as its people saw it, oldest first: what they wrote, what they got. Without a thread: all of them. */
  chatLog(platform: string, chat: string | ThreadName, limit: number): Promise<ChatLogEntry[]>;
}

export type InboxState = "waiting" | "running" | "done" | "refused" | "cancelled" | "dead";

export interface AcceptedMessage {
  message: InboundMessage;
  sessionKey: SessionKey;
  receivedAt: number;
  /** Saved with the message: everything before this position is in the inbox. */
  cursor?: { name: string; value: string } | undefined;
  /** Keys are not injective: the first chat that gets a key keeps it, another one gets `otherKey`. */
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
  /** The rest of its pause when it was read. */
  waitSeconds: number;
  /** The last turn that it was part of; null: none. */
  turnId: string | null;
  error: string | null;
  /** The route of its chat when it was accepted; null: there was none. Only rows just accepted have it. */
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
  /** Null: the author deleted it. */
  text: string | null;
  /** Once its turn has started, nothing happens: no note either. */
  onlyWaiting?: true;
}

export type ChangedMessage =
  | { outcome: "changed" | "noted"; inboxId: number; sessionKey: SessionKey }
  /** The agent never got the message, or its text is the same. */
  | { outcome: "ignored" };

/** A change that the agent should know about: it was asked with the earlier text. */
export interface ChangeNote {
  inboxId: number;
  at: number;
  /** The text that the agent knows. */
  before: string;
  /** The text now; null: the author deleted it. */
  text: string | null;
  userName: string | null;
}

export interface SettledMessage {
  inboxId: number;
  state: "done" | "refused" | "cancelled";
  /** Why it was refused or ignored, or which command it was. */
  reason: string;
  replies: readonly NewReply[];
  follow?: AcceptedMessage;
}

export interface ThreadName {
  chatId: string;
  /** Null: what is in no thread. */
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
  /** The question that it asks. */
  question?: QuestionRow;
  /** Of what a person wrote. */
  written?: { eventId: string; state: InboxState; reason: string | null };
}
