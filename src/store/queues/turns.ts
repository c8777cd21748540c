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

/** Turns: messages that an agent answers, and what becomes of them after a crash. */
export interface Turns {
  /**
   * Waiting → running: counts the attempt and raises the epoch, so that older turns can't write. Opens a session first if the
   * chat needs one. Undefined if none of the messages waits any more, or the route isn't the expected one, or a human has taken
   * the chat over: then `keep` is added to the session, and the messages are done.
   */
  startTurn(start: TurnStart): Promise<StartedTurn | undefined>;
  /**
   * Accepts a message and starts its turn in one transaction. If an older message of its key waits, or the route isn't the
   * expected one, the message is only accepted. Undefined if the event is in the inbox already.
   */
  acceptTurn(accepted: AcceptedMessage, start: AcceptedStart): Promise<AcceptedTurn | undefined>;
  /** Waiting → running for a task that has a session but no route. Undefined if it no longer waits. */
  startTask(start: TaskStart): Promise<StartedTask | undefined>;
  /**
   * Stores messages, counters, answers and finished rows in one transaction. Returns the answers that were claimed for
   * sending; undefined if the epoch isn't current.
   */
  finishTurn(finish: TurnFinish): Promise<OutboxRow[] | undefined>;
  /**
   * Running → waiting (after a pause), dead or cancelled, with a notice for the chat if there is one. Undefined if the turn lost
   * its rows. `kept`: the unanswered question is part of the session now.
   */
  failTurn(failed: TurnFailure): Promise<{ kept: boolean } | undefined>;
  /** After a start: running rows wait again or are dead, rows that were being sent are returned to be settled. */
  recover(bootId: string, maxAttempts: number, notices: RecoveryNotices, owners?: Owners): Promise<Recovered>;
  /** Open rows by state. Answered from indexes: cheap however long the queues are. */
  backlog(owners?: Owners): Promise<Backlog>;
  /**
   * Dead → waiting or pending: one row (`in:12`, `out:34`), all dead letters, or the last question of a session if it was stopped or
   * failed. Returns how many, and those of the session.
   */
  retry(which: { id?: string } | { sessionKey: SessionKey }): Promise<{ retried: number; rows: InboxRow[] }>;
  /** Gives dead rows (`in:12`, `out:34`) up for good: messages are cancelled, answers removed. Returns how many. */
  discardDead(ids: readonly string[]): Promise<number>;
  /** Removes finished rows that are older than this. Works in slices. */
  pruneQueues(olderThanSeconds: number): Promise<number>;
  /** Restarts pauses that were set in the future: the clock was set back since. Returns how many. */
  restartWaits(): Promise<number>;
}

export interface TurnStart {
  sessionKey: SessionKey;
  inboxIds: readonly number[];
  /** The previous turn of these messages, if any: this one continues its preview. */
  earlierTurnId?: string | null;
  bootId: string;
  turnId: string;
  at: number;
  /** The epoch of the route that the caller has seen; null: there was none. Default: any route. */
  expectedEpoch?: number | null | undefined;
  open?: RouteOpening | undefined;
  keep?: readonly KeptMessage[] | undefined;
}

/** What is stored of a message that a human answers. */
export interface KeptMessage {
  inboxId: number;
  messages: readonly NewMessage[];
  author: Author;
}

export interface AcceptedStart extends Pick<TurnStart, "bootId" | "turnId" | "at" | "open"> {
  /** The route that the caller knows, whose session continues; null: there is none, and `open` opens one. */
  expected: KnownRoute | null;
}

/** What decided that a route's session continues. */
export type KnownRoute = Pick<RouteRow, "epoch" | "sessionId" | "lastUserActivity">;

export interface AcceptedTurn {
  row: InboxRow;
  /** Undefined: the message waits. */
  started: StartedTurn | undefined;
}

export interface TaskStart {
  inboxId: number;
  sessionId: SessionId;
  bootId: string;
  turnId: string;
}

export interface StartedTask {
  /** Undefined: it was deleted. */
  session: SessionRow | undefined;
  attempt: number;
}

export interface StartedTurn {
  route: RouteRow;
  session: SessionRow;
  epoch: number;
  /** The highest number of attempts of its messages, this one included. */
  attempt: number;
  /** The messages as they are now, without those that were cancelled meanwhile. */
  rows: InboxRow[];
  /** Changes of earlier messages that the agent doesn't know yet. */
  notes: ChangeNote[];
  /** Sessions that held these questions, unanswered, and no longer do. */
  withdrawnFrom: SessionId[];
  /** A session was opened with it. */
  opened: boolean;
  /** A preview of an earlier attempt: its id, or null if its id was lost. */
  preview?: string | null | undefined;
  /** What an interrupted attempt has done: this one continues there, in the same session. */
  steps?: RecordedSteps | undefined;
}

export interface TurnFinish {
  turnId: string;
  sessionKey: SessionKey;
  sessionId: SessionId;
  epoch: number;
  inboxIds: readonly number[];
  messages: readonly NewMessage[];
  /** The author of each message; null: the agent. */
  authors?: readonly (Author | null)[];
  usage: Usage;
  lastPromptTokens?: number | undefined;
  /** People who may see this session from now on. */
  participants: readonly { platform: string; userId: string }[];
  replies: readonly NewReply[];
  /** Changes that the agent knows now. */
  notes?: readonly Pick<ChangeNote, "inboxId" | "at">[];
  /** The previewed part of the answer: it stays where no answer replaces it. */
  said?: string;
  /** The session had one turn: it ends with it, and so does its route. */
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
  /** The question: stays in the session without an answer, unless the chat has moved on to another session. */
  unanswered?: Unanswered | undefined;
}

export interface Unanswered {
  sessionId: SessionId;
  epoch: number;
  questions: readonly { inboxId: number; messages: readonly NewMessage[]; author: Author }[];
  participants: readonly Person[];
  /** What the turn did: it stays in the session with the question, even if the chat has moved on, so nothing is done twice. */
  steps?: { messages: readonly NewMessage[]; usage: Usage } | undefined;
}

/** Notices for chats, stored in the same transaction. */
export interface RecoveryNotices {
  dead: string;
  interrupted: string;
}

export interface Recovered {
  /** Messages whose turn was interrupted and that wait again. */
  waiting: number;
  /** Messages that were given up; their chats get a notice. */
  dead: InboxRow[];
  /** Commands that may or may not have run: they aren't repeated, their chats get a notice. */
  interrupted: InboxRow[];
  /** Sends whose outcome is unknown. */
  unsettled: OutboxRow[];
  /** Pauses that platforms imposed and that aren't over. */
  penalties: Penalty[];
}

export interface Backlog {
  inbox: Record<"waiting" | "running" | "dead", OpenRows>;
  outbox: Record<"pending" | "sending" | "unknown" | "dead", OpenRows>;
  /** The oldest rows of these owners that could proceed now: their pause is over and nothing in their chat is before them. */
  ready: { inbox: ReadyRow | null; outbox: ReadyRow | null };
  /** Rows with an impossible pause: set in the future, or longer than any pause. */
  misdated: number;
}

export interface ReadyRow {
  id: number;
  /** Since when it could proceed, by the machine's clock. */
  at: number;
}
