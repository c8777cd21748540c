import type { AnswerDetails } from "../client-request.js";
import type {
  EventOutcome,
  InboundMessage,
  Origin,
  OutboundFile,
  OutboundKind,
  Person,
  RefusedFile,
  Target,
} from "../message.js";
import type { EndReason, NewMessage, SessionId, SessionKey, SessionRow } from "../session.js";
import type { TraceId } from "../trace-id.js";
import type { Farewell } from "./farewell.js";
import type { NewSession, OpenRows, Usage } from "./store.js";

/**
 * What waits, what runs, what goes out, and which chat is in which session: the `gw_` tables. Every verb is one
 * transaction; what a turn writes carries the epoch of its route, and an old epoch writes nothing.
 */
export interface Queues {
  /** Adds what isn't there yet. Gives the rows that are new, in the given order. */
  acceptMessages(messages: readonly AcceptedMessage[]): Promise<InboxRow[]>;
  /** How far an account had come, under a name of its adapter's. */
  getCursor(platform: string, account: string, name: string): Promise<string | undefined>;
  saveCursor(platform: string, account: string, name: string, value: string): Promise<void>;
  /**
   * A message that was changed or taken back by its author: while it waits, that is what it says; later it is noted for
   * the next turn of its session.
   */
  changeMessage(change: MessageChange): Promise<ChangedMessage>;
  /** A chat goes on under another id: its routes, waiting messages and pending answers go along. */
  moveChat(platform: string, from: string, to: string): Promise<number>;
  /** Rows that wait (not before their time), oldest first. */
  waitingMessages(share?: Share): Promise<InboxRow[]>;
  /** Waiting → cancelled, all of them or those that came before this row. Gives them. */
  cancelWaiting(key: SessionKey, reason: string, before?: number): Promise<InboxRow[]>;
  /** What was asked last in a chat's session waits again, if it was stopped or failed. Gives its rows. */
  askAgain(key: SessionKey): Promise<InboxRow[]>;
  /** Waiting → running, for a command: it is carried out at most once. False when somebody else was first. */
  startCommand(inboxId: number, command: string, bootId: string): Promise<boolean>;
  /**
   * A message that gets no turn: a refusal with its reason, or a command that was carried out. Its replies go along,
   * and so does what the agent is to be asked in its place: that row is given back.
   */
  settleMessage(settled: SettledMessage): Promise<InboxRow | undefined>;

  getRoute(key: SessionKey): Promise<RouteRow | undefined>;
  /** The chat that is in this session now. */
  findRoute(sessionId: SessionId): Promise<RouteRow | undefined>;
  listRoutes(): Promise<RouteRow[]>;
  countRoutes(): Promise<number>;
  /** Whether any chat has a route, those of one platform left aside. */
  hasRoutes(except?: string): Promise<boolean>;
  /** Routes that may be due for a reset by now, in the order of their time: the reset policy decides. */
  dueRoutes(query: DueQuery): Promise<DueRoute[]>;
  /** Routes that aren't due before a later time. One that has changed since it was read is left as it is. */
  postponeRoutes(routes: readonly PostponedRoute[]): Promise<void>;
  /** Every route may be due again: the rules by which they were postponed have changed. */
  recheckRoutes(rules: string): Promise<void>;
  /**
   * Points a chat at a new session: ends the one before (with the reason), makes the row, raises the epoch. Does
   * nothing and gives the stored route, if there is one, when `expectedSessionId` isn't the current one any more or the
   * message that it is for doesn't wait any more.
   */
  openRoute(route: NewRoute): Promise<RouteRow | undefined>;
  /** Points a chat at a session that exists. Ends the current one, reopens the other, raises the epoch. */
  switchRoute(key: SessionKey, sessionId: SessionId, reason: EndReason): Promise<RouteRow | undefined>;
  /** Points a chat at a copy of a session. Undefined: the chat has no route, or there is no such session. */
  branchRoute(branch: RouteBranch): Promise<RouteRow | undefined>;
  /** Ends the session of a route that was due while nobody wrote. The next message opens a new one. */
  expireRoute(key: SessionKey, expectedSessionId: SessionId, resetReason: string): Promise<boolean>;
  /** Last turns that are still to be had; each is noted with the end of its session. */
  openFarewells(share?: Pick<Share, "except">): Promise<Farewell[]>;
  /** Gives how many attempts there were, this one included. Undefined: it wasn't noted. */
  startFarewell(id: SessionId): Promise<number | undefined>;
  /** It was had, or given up. */
  endFarewell(id: SessionId): Promise<void>;

  /** The session's transcript lacks something. Until it is unmarked, it is to be written anew. */
  markTranscript(id: SessionId): Promise<void>;
  unmarkTranscript(id: SessionId): Promise<void>;
  markedTranscripts(): Promise<SessionId[]>;
  /** Ends a session together with its route. */
  closeRoute(key: SessionKey, sessionId: SessionId, reason: EndReason): Promise<void>;
  /** Routes that another Hermes left behind, for keys that have none yet. Gives how many were new. */
  adoptRoutes(routes: readonly AdoptedRoute[]): Promise<number>;
  setRouteFlags(key: SessionKey, flags: Partial<RouteFlags>): Promise<void>;

  /** Waiting → running, attempts counted, epoch raised: everything that an older turn still writes is refused. */
  startTurn(start: TurnStart): Promise<StartedTurn | undefined>;
  /** Messages, counters, answers and done rows in one transaction. False when the epoch is no longer ours. */
  finishTurn(finish: TurnFinish): Promise<boolean>;
  /**
   * Running → waiting (after a pause), dead or cancelled; with a notice for the chat where there is one to give. Undefined when
   * the turn has lost its rows; `kept` says whether the unanswered question is part of the session now.
   */
  failTurn(failed: TurnFailure): Promise<{ kept: boolean } | undefined>;
  /** What runs under this boot, one entry a message. */
  runningTurns(bootId: string): Promise<RunningRow[]>;
  /** Like splitSession of the history, with the route moved in the same transaction. */
  splitRoute(split: RouteSplit): Promise<SessionRow | undefined>;

  /** A message that answers nobody in particular. Given again under the same key, it is queued once. */
  enqueueReply(reply: NewReply, key?: string): Promise<number>;
  /** How a message of the outbox is doing. */
  getDelivery(outboxId: number): Promise<DeliveryRow | undefined>;
  /** Chats that messages came from, the liveliest first; `called`: only those with this id or name. */
  knownChats(query: KnownChatsQuery): Promise<KnownChat[]>;
  /** Pending → sending, at most `limit`, for chats that have nothing older under way. */
  claimDeliveries(bootId: string, limit: number, share?: Share): Promise<OutboxRow[]>;
  /**
   * A message that shows the answer to this one while it is written is about to be made. False: something is still to be
   * said in that conversation before.
   */
  notePreview(inboxId: number): Promise<boolean>;
  /** It was made, for whoever goes on with it. */
  savePreview(inboxId: number, messageId: string): Promise<void>;
  /** It wasn't. */
  forgetPreview(inboxId: number): Promise<void>;
  /** Null: it may have been made, and nobody knows its id. */
  getPreview(inboxId: number): Promise<string | null | undefined>;
  /** The message whose id was lost is this one: the answer takes its place. False: it shows another answer. */
  foundPreview(outboxId: number, messageId: string): Promise<boolean>;
  /** Those whose turn is over without an answer in their place, at most a hundred, the newest first. */
  leftPreviews(which: LeftPreviews, share?: Share): Promise<LeftPreview[]>;
  /** What was left stands as it will, unless its message waits again. */
  settlePreview(inboxId: number): Promise<void>;
  /** Whether this message shows an answer. */
  isPreview(messageId: string): Promise<boolean>;
  /** A platform makes us wait; also over a restart. An empty chat id stands for the whole account. */
  savePenalty(penalty: Penalty): Promise<void>;
  openPenalties(): Promise<Penalty[]>;
  /** Waits that were set in the future begin again now: the clock was set back since. Gives how many. */
  restartWaits(): Promise<number>;
  /** What became of a send. */
  settleDelivery(id: number, outcome: DeliveryOutcome): Promise<void>;
  /** A chat as its people saw it, oldest first: what they wrote, what they got. */
  chatLog(platform: string, chatId: string, limit: number): Promise<ChatLogEntry[]>;

  /** After a start: what ran waits again or is dead, what was being sent is pending or unknown. */
  recover(bootId: string, maxAttempts: number, notices: RecoveryNotices, share?: Share): Promise<Recovered>;
  /** What another account left open in a chat of its own goes on in this one. Gives how many messages wait again. */
  inheritChat(platform: string, from: string, heir: Heir): Promise<number>;
  /** What is open, by state. Answered from indexes: cheap however long the queues are. */
  backlog(share?: Share): Promise<Backlog>;
  deadLetters(): Promise<DeadLetter[]>;
  /** Dead → waiting or pending. Undefined: all. */
  retryDead(id?: string): Promise<number>;
  /** Dead → cancelled, for all that a terminal leaves behind: nobody could be told of another try. */
  dropDead(chat: { platform: string; account: string }, reason: string): Promise<number>;
  traceMessage(reference: string): Promise<Trace[]>;
  /** A message by its event, with what was answered to it; also what the agent was asked in a command's place. */
  eventOutcome(platform: string, account: string, eventId: string): Promise<EventOutcome | undefined>;
  /** Finished rows older than this are of no use any more. Works in slices. */
  pruneQueues(olderThanSeconds: number): Promise<number>;

  pairingState(platform: string, userId: string): Promise<PairingState>;
  /** With the message that asked for it, and the answer that tells the code. */
  addPairing(pairing: NewPairing, settled?: SettledMessage): Promise<void>;
  /** People whom another Hermes has let in, each taken over once. Gives how many are new. */
  adoptPairings(people: readonly ApprovedRow[]): Promise<number>;
  listPairings(): Promise<{ pending: PairingRow[]; approved: ApprovedRow[] }>;
  pendingPairings(platform: string): Promise<PairingRow[]>;
  approvePairing(id: string): Promise<boolean>;
  /** Takes a request away that waits. */
  denyPairing(id: string): Promise<boolean>;
  failPairing(platform: string, failures: number, lockedUntil: number | null): Promise<void>;
  revokePairing(platform: string, userId: string): Promise<boolean>;
  isPaired(platform: string, userIds: readonly string[]): Promise<boolean>;
}

/** A key of `state_meta`: when routes were last changed behind the back of a gateway that may run. */
export const ROUTES_CHANGED = "gw_routes_changed_at";

/** A key of `state_meta`: the reset settings by which routes were postponed. */
export const RESET_RULES = "gw_reset_rules";

/** Whose rows a process works on; left out: everybody's. Several processes may share one file. */
export interface Share {
  /** Only this account's. */
  only?: { platform: string; account: string };
  /** Not this platform's: its accounts are processes of their own. */
  except?: string;
}

/** An account with one chat, both of this id. */
export interface Heir {
  id: string;
  sessionKey: SessionKey;
}

export type InboxState = "waiting" | "running" | "done" | "refused" | "cancelled" | "dead";

export interface AcceptedMessage {
  message: InboundMessage;
  sessionKey: SessionKey;
  receivedAt: number;
  /** Moves with the message: what it has passed is in the inbox. */
  cursor?: { name: string; value: string };
}

export interface MessageName {
  platform: string;
  account: string;
  chatId: string;
  messageId: string;
}

export interface MessageChange extends MessageName {
  /** Null: it was taken back. */
  text: string | null;
}

export type ChangedMessage =
  | { outcome: "changed" | "noted"; inboxId: number; sessionKey: SessionKey }
  /** Nobody was asked, or no word is another. */
  | { outcome: "ignored" };

/** What the agent should know about a message that it was asked before. */
export interface ChangeNote {
  inboxId: number;
  at: number;
  /** What it said when the agent was asked. */
  before: string;
  /** What it says now; null: it was taken back. */
  text: string | null;
  userName: string | null;
}

export interface Penalty {
  platform: string;
  account: string;
  chatId: string;
  /** From now on. */
  seconds: number;
}

export interface InboxRow {
  id: number;
  traceId: TraceId;
  sessionKey: SessionKey;
  message: InboundMessage;
  state: InboxState;
  attempts: number;
  receivedAt: number;
  /** How long it still had to wait when it was read. */
  waitSeconds: number;
  /** The last turn that it was part of; null: none. */
  turnId: string | null;
  error: string | null;
}

export interface SettledMessage {
  inboxId: number;
  state: "done" | "refused" | "cancelled";
  /** Why it was refused or ignored, or which command it was. */
  reason: string;
  replies: readonly NewReply[];
  follow?: AcceptedMessage;
}

export interface NewReply {
  target: Target;
  kind: OutboundKind;
  text: string;
  sessionKey?: SessionKey | null;
  /** Left out: that of the message it answers. */
  traceId?: TraceId;
  /** Sent along, or refused: the text says so then. */
  files?: readonly ReplyFile[];
  details?: AnswerDetails;
}

export type ReplyFile = OutboundFile | RefusedFile;

export interface RouteFlags {
  suspended: boolean;
  resumePending: boolean;
  resumeReason: string | null;
  wasAutoReset: boolean;
  autoResetReason: string | null;
  resetHadActivity: boolean;
  isFreshReset: boolean;
  expiryFinalized: boolean;
}

export interface RouteRow extends RouteFlags {
  sessionKey: SessionKey;
  sessionId: SessionId;
  origin: Origin;
  tuple: string;
  createdAt: number;
  updatedAt: number;
  lastUserActivity: number;
  lastPromptTokens: number;
  epoch: number;
  /** The session was ended by the sweep: the next message opens a new one. */
  expiredReason: string | null;
}

export interface DueQuery {
  now: number;
  limit: number;
  /** The last route of the page before. */
  after?: Pick<DueRoute, "dueAt" | "row">;
}

export interface DueRoute {
  route: RouteRow;
  dueAt: number;
  row: number;
}

export interface PostponedRoute {
  sessionKey: SessionKey;
  /** As they were read. */
  epoch: number;
  dueAt: number;
  until: number;
}

export interface AdoptedRoute {
  sessionKey: SessionKey;
  sessionId: SessionId;
  origin: Origin;
  tuple: string;
  createdAt: number;
  updatedAt: number;
  lastPromptTokens: number;
  flags: Partial<RouteFlags>;
}

export interface NewRoute {
  sessionKey: SessionKey;
  origin: Origin;
  tuple: string;
  session: NewSession;
  /** What the caller believes to be current; null: that there is none. */
  expectedSessionId: SessionId | null;
  endReason: EndReason;
  flags?: Partial<RouteFlags>;
  /** The message in the inbox that needs it. */
  forMessage?: number;
  /** The session before may still take leave. */
  farewell?: true;
  at: number;
}

export interface TurnStart {
  sessionKey: SessionKey;
  inboxIds: readonly number[];
  /** The turn that its messages were in before, if any: what that one showed is gone on with. */
  earlierTurnId?: string | null;
  bootId: string;
  turnId: string;
  at: number;
}

export interface StartedTurn {
  route: RouteRow;
  session: SessionRow;
  epoch: number;
  /** The most attempts that any of its messages has had, this one included. */
  attempt: number;
  /** What it begins with, as it stands now: what was cancelled meanwhile isn't among it. */
  rows: InboxRow[];
  /** Changes of earlier messages, to be told to the agent. */
  notes: ChangeNote[];
  /** Sessions that held these questions, unanswered, and don't any more. */
  withdrawnFrom: SessionId[];
}

export interface TurnFinish {
  turnId: string;
  sessionKey: SessionKey;
  sessionId: SessionId;
  epoch: number;
  inboxIds: readonly number[];
  messages: readonly NewMessage[];
  /** Who wrote each of the messages; null: the agent, or nobody. */
  authors?: readonly (Author | null)[];
  usage: Usage;
  lastPromptTokens?: number;
  /** Who wrote: they may see this session from now on. */
  participants: readonly { platform: string; userId: string }[];
  replies: readonly NewReply[];
  /** Changes that the agent has been told. */
  notes?: readonly Pick<ChangeNote, "inboxId" | "at">[];
  /** How far the answer came, as it was shown: this stays where no answer takes its place. */
  said?: string;
  /** The session had one turn: it and its route end with it. */
  end?: EndReason;
}

export interface Author {
  platform: string;
  userId: string;
  userName: string | null;
}

export interface TurnFailure {
  turnId: string;
  sessionKey: SessionKey;
  inboxIds: readonly number[];
  error: string;
  /** An attempt that was cut off by a shutdown doesn't count. */
  next:
    | { state: "waiting"; waitSeconds: number; uncounted?: true }
    | { state: "dead" }
    | { state: "cancelled" };
  replies: readonly NewReply[];
  /** As in `TurnFinish`. */
  said?: string;
  end?: EndReason;
  /** What was asked: stays in the session without an answer, unless the chat has moved on to another one. */
  unanswered?: Unanswered;
}

export interface Unanswered {
  sessionId: SessionId;
  epoch: number;
  questions: readonly { inboxId: number; messages: readonly NewMessage[]; author: Author }[];
  participants: readonly Person[];
}

export interface LeftPreviews {
  /** Turns that ended earlier are left out. */
  since: number;
  sessionKey?: SessionKey;
}

/** An answer that was shown while it was written, and never came. */
export interface LeftPreview {
  inboxId: number;
  traceId: TraceId;
  /** Where its answer would have gone. */
  target: Target;
  /** Null: it may have been made, and nobody knows its id. */
  messageId: string | null;
  /** How far it came; empty: nobody knows, or not far. */
  text: string;
}

export interface RunningRow {
  inboxId: number;
  turnId: string;
  sessionKey: SessionKey;
}

export interface RouteBranch {
  sessionKey: SessionKey;
  /** What is copied. */
  sessionId: SessionId;
  /** Left out: the next of its name. */
  title?: string;
  /** Whose the copy is; left out: it is whose the original is, and everybody who took part may see it. */
  owner?: Person;
}

export interface RouteSplit {
  sessionKey: SessionKey;
  epoch: number;
  parentId: SessionId;
  messages: readonly NewMessage[];
}

export type OutboxState = "pending" | "sending" | "sent" | "unknown" | "dead";

export interface OutboxRow {
  id: number;
  /** Of the message that it answers; one of its own where it answers none. */
  traceId: TraceId;
  nonce: string;
  kind: OutboundKind;
  target: Target;
  text: string;
  turnId: string | null;
  state: OutboxState;
  attempts: number;
  createdAt: number;
  mayBeRepeat: boolean;
  /** The message that showed it while it was written. */
  replaces: string | null;
  /** There may be such a message, whose id was lost: it answers this one. */
  lostPreviewOf: string | null;
  files: readonly ReplyFile[];
  details?: AnswerDetails;
}

export interface DeliveryRow extends OutboxRow {
  error: string | null;
  messageIds: string[];
  sentAt: number | null;
}

export interface KnownChatsQuery {
  platform?: string;
  called?: string;
  limit: number;
}

export interface KnownChat {
  platform: string;
  /** The bot that it last wrote to; empty: none is remembered. */
  account: string;
  chatType: string;
  chatId: string | null;
  threadId: string | null;
  chatName: string | null;
  userName: string | null;
  lastActivity: number;
}

export type DeliveryOutcome =
  | { state: "sent"; messageIds: readonly string[] }
  /** `postponed`: nothing was tried, its chat has to wait. */
  | { state: "pending"; waitSeconds: number; error: string; mayBeRepeat: boolean; postponed?: true }
  | { state: "unknown"; error: string }
  | { state: "dead"; error: string };

export interface ChatLogEntry {
  /** `in:12` or `out:34`: stable, and what a client tells repeats by. */
  id: string;
  from: "user" | "bot";
  kind: OutboundKind | "message";
  text: string;
  at: number;
  turnId: string | null;
  files: readonly ReplyFile[];
}

/** What chats are told, in the same transaction. */
export interface RecoveryNotices {
  dead: string;
  interrupted: string;
}

export interface Recovered {
  /** Messages whose turn was cut off and that wait again. */
  waiting: number;
  /** Messages that were given up; their chats are told. */
  dead: InboxRow[];
  /** Commands that may or may not have been carried out: nothing is done twice, their chats are told. */
  interrupted: InboxRow[];
  /** Sends whose outcome nobody knows. */
  unsettled: OutboxRow[];
}

export interface Backlog {
  inbox: Record<"waiting" | "running" | "dead", OpenRows>;
  outbox: Record<"pending" | "sending" | "unknown" | "dead", OpenRows>;
  /** Of the share: what could go on now, because its wait is over and nothing in its chat is before it. The oldest. */
  ready: { inbox: ReadyRow | null; outbox: ReadyRow | null };
  /** Rows whose wait can't be right: it was set in the future, or is longer than any wait. */
  misdated: number;
}

export interface ReadyRow {
  id: number;
  /** Since when it could go on, by the clock of the machine. */
  at: number;
}

export interface DeadLetter {
  /** `in:12` or `out:34`. */
  id: string;
  sessionKey: SessionKey | null;
  platform: string;
  chatId: string | null;
  text: string;
  error: string | null;
  attempts: number;
  at: number;
}

export interface Trace {
  inbox: InboxRow;
  reason: string | null;
  turnId: string | null;
  sessionId: SessionId | null;
  steps: { at: number; what: string; detail: string | null }[];
  deliveries: DeliveryRow[];
}

export interface PairingRow {
  id: string;
  platform: string;
  userId: string;
  userName: string | null;
  hash: string;
  salt: string;
  createdAt: number;
}

export type NewPairing = PairingRow;

export interface ApprovedRow {
  platform: string;
  userId: string;
  userName: string | null;
  approvedAt: number;
}

export interface PairingState {
  pending: PairingRow[];
  lastRequestAt: number | null;
  lockedUntil: number | null;
  failures: number;
}
