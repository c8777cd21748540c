import type { AnswerDetails } from "../../client-request.js";
import type { OutboundFile, OutboundKind, Person, RefusedFile, Target } from "../../message.js";
import type { OutboundQuestion } from "../../question.js";
import type { SessionId, SessionKey } from "../../session.js";
import type { TraceId } from "../../trace-id.js";
import type { Owners } from "./owners.js";
import type { Penalty } from "./values.js";

/** Messages that go out, from the queue to their receipt. */
export interface Outbox {
  /** Queues a message that answers no other. Repeated with the same key, it is queued once. */
  enqueueReply(reply: NewReply & { asHuman?: HumanReply }, key?: string): Promise<number>;
  getDelivery(outboxId: number): Promise<DeliveryRow | undefined>;
  /** Pending → sending, at most `limit`, skipping chats with an older message that isn't settled. */
  claimDeliveries(bootId: string, limit: number, owners?: Owners): Promise<OutboxRow[]>;
  /**
   * Before the first part is sent: all parts, with the ids of those that turned out to be there. Later: the ids of one part that
   * has arrived; the next one has not been tried, so it can't be a repeat. False if this boot doesn't have the claim any more:
   * it must not send the rest.
   */
  saveParts(outboxId: number, parts: readonly OutboxPart[] | SentPart, bootId: string): Promise<boolean>;
  /**
   * Stores the outcome of a send that this boot claimed; nothing changes for any other, except that a penalty is kept. Returns the
   * chat's next message if it was claimed with it.
   */
  settleDelivery(id: number, outcome: DeliveryOutcome, bootId: string, claim?: Claim): Promise<OutboxRow[]>;
  /** Chats that messages came from, most recently active first; `called`: only those with this id or name. */
  knownChats(query: KnownChatsQuery): Promise<KnownChat[]>;
}

/** Also stored in the session, as an answer of the agent: it goes on from there. */
export interface HumanReply {
  sessionId: SessionId;
  /** The takeover lasts until then. */
  until: number;
}

/** The finish reason of a message that a human wrote in the agent's place. */
export const BY_HUMAN = "human";

/** Whose sends claimed rows become. */
export interface Claim {
  bootId: string;
  owners?: Owners | undefined;
}

export type OutboxState = "pending" | "sending" | "sent" | "unknown" | "dead";

export interface NewReply {
  target: Target;
  kind: OutboundKind;
  text: string;
  sessionKey?: SessionKey | null;
  /** Default: the trace of the message it answers. */
  traceId?: TraceId;
  /** Files to send along, or refused ones, which the text mentions. */
  files?: readonly ReplyFile[];
  details?: AnswerDetails;
  /** Buttons below it. */
  question?: OutboundQuestion;
}

export type ReplyFile = OutboundFile | RefusedFile;

export interface OutboxRow {
  id: number;
  /** The trace of the message it answers, or its own. */
  traceId: TraceId;
  nonce: string;
  kind: OutboundKind;
  target: Target;
  text: string;
  turnId: string | null;
  state: OutboxState;
  attempts: number;
  createdAt: number;
  /** An earlier attempt at it, or at its first part without ids, may have arrived. */
  mayBeRepeat: boolean;
  /** The message that previewed this answer. */
  replaces: string | null;
  /** A preview of this answer may exist, but its id was lost: it replies to this message. */
  lostPreviewOf: string | null;
  files: readonly ReplyFile[];
  /** Stored while a message of several parts is being sent; null: none, or a message of one part. */
  parts: readonly OutboxPart[] | null;
  details?: AnswerDetails;
  question?: OutboundQuestion;
}

export interface OutboxPart {
  /** As the adapter rendered it. Plain JSON. */
  part: object;
  /** The platform's ids of its messages; missing: it hasn't been sent. */
  ids?: readonly string[] | undefined;
}

export interface SentPart {
  index: number;
  ids: readonly string[];
}

export interface DeliveryRow extends OutboxRow {
  error: string | null;
  /** Of all parts that were sent so far. */
  messageIds: string[];
  sentAt: number | null;
}

export type DeliveryOutcome =
  | { state: "sent"; messageIds: readonly string[] }
  /** `postponed`: nothing was sent, because its chat has to wait. */
  | {
      state: "pending";
      waitSeconds: number;
      error: string;
      mayBeRepeat: boolean;
      postponed?: true;
      penalty?: Penalty | undefined;
    }
  | { state: "unknown"; error: string }
  /** `penalty`: the platform imposed a pause, which concerns other messages too. */
  | { state: "dead"; error: string; penalty?: Penalty | undefined };

export interface KnownChatsQuery {
  platform?: string;
  called?: string;
  /** Only this person's direct chats, and rooms that they took part in. */
  of?: Person;
  limit: number;
}

export interface KnownChat {
  platform: string;
  /** The bot that it last wrote to; empty: unknown. */
  account: string;
  chatType: string;
  chatId: string | null;
  threadId: string | null;
  chatName: string | null;
  userName: string | null;
  lastActivity: number;
}
