import type { AnswerDetails } from "../../client-request.js";
import type { OutboundFile, OutboundKind, Person, RefusedFile, Target } from "../../message.js";
import type { OutboundQuestion } from "../../question.js";
import type { SessionId, SessionKey } from "../../session.js";
import type { TraceId } from "../../trace-id.js";
import type { Owners } from "./owners.js";
import type { Penalty } from "./values.js";

/** Outbound messages, from the queue to delivery. */
export interface Outbox {
  /** Queues a message that isn't an answer. Idempotent by key. */
  enqueueReply(reply: NewReply & { asHuman?: HumanReply }, key?: string): Promise<number>;
  getDelivery(outboxId: number): Promise<DeliveryRow | undefined>;
  /** Pending → sending, at most `limit`, skipping chats with an older message that isn't settled. */
  claimDeliveries(bootId: string, limit: number, owners?: Owners): Promise<OutboxRow[]>;
  /**
   * Call before the first send with all parts, including ids of parts that have arrived already; later with
   * the ids of each part that was sent. The next part hasn't been tried, so it can't be a repeat. False if
   * this boot lost its claim and must not send the rest.
   */
  saveParts(outboxId: number, parts: readonly OutboxPart[] | SentPart, bootId: string): Promise<boolean>;
  /**
   * Stores the outcome of a send that this boot claimed; without the claim only a penalty is stored. Returns
   * the chat's next message if it was claimed too.
   */
  settleDelivery(id: number, outcome: DeliveryOutcome, bootId: string, claim?: Claim): Promise<OutboxRow[]>;
  /** Chats that sent messages, most recently active first. `called` restricts them to this id or name. */
  knownChats(query: KnownChatsQuery): Promise<KnownChat[]>;
}

/** Also stored in the session as an answer of the agent, which continues from there. */
export interface HumanReply {
  sessionId: SessionId;
  /** End of the takeover. */
  until: number;
}

/** The finish reason of a message that a human wrote instead of the agent. */
export const BY_HUMAN = "human";

/** The process that claims the rows. */
export interface Claim {
  bootId: string;
  owners?: Owners | undefined;
  /** Clients fetch the rows from the store: claiming them sends them. */
  sends?: boolean | undefined;
}

export type OutboxState = "pending" | "sending" | "sent" | "unknown" | "dead";

export interface NewReply {
  target: Target;
  kind: OutboundKind;
  text: string;
  sessionKey?: SessionKey | null;
  /** Default: the trace of the message it answers. */
  traceId?: TraceId;
  /** Files to send, or refused ones, which the text mentions. */
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
  /** An earlier attempt at it (or at its first part without ids) may have arrived. */
  mayBeRepeat: boolean;
  /** The message that previewed this answer. */
  replaces: string | null;
  /** A preview with a lost id may exist; it replies to this message. */
  lostPreviewOf: string | null;
  files: readonly ReplyFile[];
  /** Stored while a multi-part message is being sent; null otherwise. */
  parts: readonly OutboxPart[] | null;
  details?: AnswerDetails;
  question?: OutboundQuestion;
}

export interface OutboxPart {
  /** As the adapter rendered it. Plain JSON. */
  part: object;
  /** The platform's message ids; missing until it is sent. */
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
  /** `postponed`: nothing was sent, because its chat must wait. */
  | {
      state: "pending";
      waitSeconds: number;
      error: string;
      mayBeRepeat: boolean;
      postponed?: true;
      penalty?: Penalty | undefined;
    }
  | { state: "unknown"; error: string }
  /** `penalty`: a wait imposed by the platform, which affects other messages too. */
  | { state: "dead"; error: string; penalty?: Penalty | undefined };

export interface KnownChatsQuery {
  platform?: string;
  called?: string;
  /** Only this person's direct chats and rooms they took part in. */
  of?: Person;
  limit: number;
}

export interface KnownChat {
  platform: string;
  /** The bot it last wrote to; empty if unknown. */
  account: string;
  chatType: string;
  chatId: string | null;
  threadId: string | null;
  chatName: string | null;
  userName: string | null;
  lastActivity: number;
}
