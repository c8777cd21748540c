import type { Person } from "../../message.js";
import type { EndReason, NewMessage, SessionId, SessionKey, SessionRow } from "../../session.js";
import type { OpenRows } from "../common.js";
import type { Usage } from "../history.js";
import type { AcceptedMessage, Author, ChangeNote, InboxRow } from "./inbox.js";
import type { Claim, NewReply, OutboxRow } from "./outbox.js";
import type { Owners } from "./owners.js";
import type { RouteOpening, RouteRow } from "./routes.js";
import type { RecordedSteps } from "./steps.js";
import type { Penalty } from "./values.js";

/** Turns, and their recovery after a crash. */
export interface Turns {
  /**
   * Waiting → running: counts the attempt and raises the epoch, so that older turns can't write. Opens a session first if the
   * chat needs one. Undefined if no message is waiting any more, the route isn't the expected one, or a
   * human has taken the chat over. In that last case `keep` is added to the session and the messages are
   * done.
   */
  startTurn(start: TurnStart): Promise<StartedTurn | undefined>;
  /**
   * Accepts a message and starts its turn in one transaction. If an older message of its key waits, or the route isn't the
   * expected one, the message is only accepted. Undefined if the event is already in the inbox.
   *
   * An engine may call `onEarly` with the result just before the commit: the turn can start, and its own writes, which follow in
   * order, share that commit. If the commit fails, the promise rejects and those writes find nothing to finish.
   */
  acceptTurn(
    accepted: AcceptedMessage,
    start: AcceptedStart,
    onEarly?: (turn: AcceptedTurn | undefined) => void,
  ): Promise<AcceptedTurn | undefined>;
  /**
   * Stores messages, counters, answers and finished rows in one transaction. Returns the answers that were claimed for
   * sending; undefined if the epoch isn't current.
   */
  finishTurn(finish: TurnFinish): Promise<OutboxRow[] | undefined>;
  /**
   * Running → waiting (with a delay), dead or cancelled, with an optional notice for the chat. Undefined if
   * the turn lost its rows. `kept`: the unanswered question is now part of the session.
   */
  failTurn(failed: TurnFailure): Promise<{ kept: boolean } | undefined>;
  /** Call at startup: running rows become waiting or dead; rows that were being sent are returned to be settled. */
  recover(bootId: string, maxAttempts: number, notices: RecoveryNotices, owners?: Owners): Promise<Recovered>;
  /** Open rows by state. Index only, so it is cheap for queues of any length. */
  backlog(owners?: Owners): Promise<Backlog>;
  /**
   * Dead → waiting or pending: one row (`in:12`, `out:34`), all dead letters, or a session's last question
   * if it was stopped or failed. For a bot: makes its pending messages due now. `misdated`: restarts delays that
   * were set in the future, after the clock was set back. Returns the count, and the session's rows.
   */
  retry(which: Retried): Promise<{ retried: number; rows: InboxRow[] }>;
  /** Removes finished rows that are older than this. Works in slices. */
  pruneQueues(olderThanSeconds: number): Promise<number>;
}

export type Retried =
  | "misdated"
  | { id?: string }
  | { sessionKey: SessionKey }
  | { platform: string; account: string };

export interface TurnStart {
  sessionKey: SessionKey;
  inboxIds: readonly number[];
  /** The previous turn of these messages, if any: this one continues its preview. */
  earlierTurnId?: string | null;
  bootId: string;
  turnId: string;
  at: number;
  /** The route's epoch as read by the caller; null if there was no route. Default: any. */
  expectedEpoch?: number | null | undefined;
  open?: RouteOpening | undefined;
  keep?: readonly KeptMessage[] | undefined;
}

/** What is stored of a message when a human answers. */
export interface KeptMessage {
  inboxId: number;
  messages: readonly NewMessage[];
  author: Author;
}

export interface AcceptedStart extends Pick<TurnStart, "bootId" | "turnId" | "at" | "open"> {
  /** The route as read by the caller, whose session continues; null if there is none and `open` opens one. */
  expected: KnownRoute | null;
}

/** The inputs of the decision that a route's session continues. */
export type KnownRoute = Pick<RouteRow, "epoch" | "sessionId" | "lastUserActivity">;

export interface AcceptedTurn {
  row: InboxRow;
  /** Undefined if the message has to wait. */
  started: StartedTurn | undefined;
}

export interface StartedTurn {
  route: RouteRow;
  session: SessionRow;
  epoch: number;
  /** The highest attempt count of its messages, including this attempt. */
  attempt: number;
  /** The current messages, without those cancelled in the meantime. */
  rows: InboxRow[];
  /** Changes of earlier messages the agent hasn't seen yet. */
  notes: ChangeNote[];
  /** Sessions from which these unanswered questions were removed. */
  withdrawnFrom: SessionId[];
  /** Whether it opened a session. */
  opened: boolean;
  /** A preview of an earlier attempt: its id, or null if its id was lost. */
  preview?: string | null | undefined;
  /** The journal of an interrupted attempt, which this one continues in the same session. */
  steps?: RecordedSteps | undefined;
}

export interface TurnFinish {
  turnId: string;
  sessionKey: SessionKey;
  sessionId: SessionId;
  epoch: number;
  inboxIds: readonly number[];
  messages: readonly NewMessage[];
  /** The author of each message; null for the agent. */
  authors?: readonly (Author | null)[];
  usage: Usage;
  lastPromptTokens?: number | undefined;
  /** People who may see this session from now on. */
  participants: readonly { platform: string; userId: string }[];
  replies: readonly NewReply[];
  /** Changes the agent has now seen. */
  notes?: readonly Pick<ChangeNote, "inboxId" | "at">[];
  /** The previewed text, which stays if no answer replaces it. */
  said?: string;
  /** A one-turn session: ends with the turn, together with its route. */
  end?: EndReason | undefined;
  /** Claims the answers that can be sent right away. */
  claim?: Claim | undefined;
}

export interface TurnFailure {
  turnId: string;
  sessionKey: SessionKey;
  inboxIds: readonly number[];
  error: string;
  /** `uncounted`: a shutdown interrupted the attempt, so it doesn't count. */
  next:
    | { state: "waiting"; waitSeconds: number; uncounted?: true }
    | { state: "dead" }
    | { state: "cancelled" };
  replies: readonly NewReply[];
  /** As in `TurnFinish`. */
  said?: string;
  end?: EndReason | undefined;
  /** The question, which stays unanswered in the session unless the chat has moved on. */
  unanswered?: Unanswered | undefined;
}

export interface Unanswered {
  sessionId: SessionId;
  epoch: number;
  questions: readonly { inboxId: number; messages: readonly NewMessage[]; author: Author }[];
  participants: readonly Person[];
  /** What the turn did. It stays in the session with the question even if the chat has moved on, so nothing is done twice. */
  steps?: { messages: readonly NewMessage[]; usage: Usage } | undefined;
}

/** Notices for chats, stored in the same transaction. */
export interface RecoveryNotices {
  dead: string;
  interrupted: string;
}

export interface Recovered {
  /** Messages of interrupted turns that wait again. */
  waiting: number;
  /** Abandoned messages; their chats get a notice. */
  dead: InboxRow[];
  /** Commands with unknown outcome: not repeated; their chats get a notice. */
  interrupted: InboxRow[];
  /** Sends whose outcome is unknown. */
  unsettled: OutboxRow[];
  /** Active penalties. */
  penalties: Penalty[];
}

export interface Backlog {
  inbox: Record<"waiting" | "running" | "dead", OpenRows>;
  outbox: Record<"pending" | "sending" | "unknown" | "dead", OpenRows>;
  /** These owners' oldest rows that could proceed now: not delayed and first in their chat. */
  ready: { inbox: ReadyRow | null; outbox: ReadyRow | null };
  /** Rows with an impossible delay: set in the future, or longer than any valid delay. */
  misdated: number;
}

export interface ReadyRow {
  id: number;
  /** Since when it could proceed, in wall-clock time. */
  at: number;
}
