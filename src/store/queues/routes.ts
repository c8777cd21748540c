import type { Origin, Person } from "../../message.js";
import type { EndReason, NewMessage, SessionId, SessionKey, SessionRow } from "../../session.js";
import type { Position } from "../common.js";
import type { NewSession } from "../history.js";

/** Which chat is in which session. A route's epoch grows with every change: a turn with an older epoch can't write. */
export interface Routes {
  getRoute(key: SessionKey): Promise<RouteRow | undefined>;
  /** All routes, or those that point to a session. Oldest first. */
  listRoutes(query?: { sessionId?: SessionId }): Promise<RouteRow[]>;
  /** Counts routes: without those of one platform, and no further than `max`. */
  countRoutes(query?: { except?: string; max?: number }): Promise<number>;
  /** Routes that may be due for a reset, ordered by their due time: the reset policy decides. */
  dueRoutes(query: DueQuery): Promise<DueRoute[]>;
  /**
   * Ends the sessions of routes that became due while their chats were silent: the next message opens a new one. Sets a later due
   * time for others that haven't changed since they were read. If the rules have changed since the last call, every route becomes
   * due again first. Returns the keys of those that ended.
   */
  settleDueRoutes(settled: SettledRoutes): Promise<SessionKey[]>;
  /**
   * Points a chat at a new session: ends the previous one with the reason, creates the session, raises the epoch. If
   * `expectedSessionId` isn't current, nothing changes and the stored route, if any, is returned.
   */
  openRoute(route: NewRoute): Promise<RouteRow | undefined>;
  /**
   * Points a chat at an existing session, or at a copy of it: ends the current one, reopens the other, raises the epoch. Undefined
   * if the chat has no route or the session doesn't exist.
   */
  switchRoute(
    key: SessionKey,
    sessionId: SessionId,
    reason: EndReason,
    copy?: SessionCopy,
  ): Promise<RouteRow | undefined>;
  /** Null: back to what is configured, or to the agent. What is left out stays. False if the chat has no route. */
  setRouteChoice(key: SessionKey, choice: RouteChoice & Partial<Takeover>): Promise<boolean>;
  /** For a chat that is gone: cancels its dead messages and ends its session with its route, unless messages wait in it. */
  closeChat(chat: ClosedChat): Promise<void>;
  /** Ends the session and continues in a child, with the route, in one transaction. Undefined if the epoch isn't current. */
  splitRoute(split: RouteSplit): Promise<SessionRow | undefined>;
  /**
   * A chat got another id: moves its routes, waiting messages and pending answers, and returns the number of routes. To an heir:
   * continues what another account left open, and returns how many messages wait again. To a person: all that the person with the
   * direct chat `from` has becomes theirs, sessions and records included.
   */
  moveChat(platform: string, from: string, to: string | Heir | { person: string }): Promise<number>;

  /** Marks a session whose transcript is incomplete: it is rewritten until it is complete. */
  markTranscript(id: SessionId, isComplete: boolean): Promise<void>;
  markedTranscripts(): Promise<SessionId[]>;
}

/** A shared value (`getValue`): when routes last changed without the knowledge of a running gateway. */
export const ROUTES_CHANGED = "gw_routes_changed_at";

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
  /** The sweep ended the session: the next message opens a new one. */
  expiredReason: string | null;
  /** The model that the chat chose; null: the configured one. New sessions of the chat keep it. */
  model: string | null;
  /** The agent that the chat chose; null: the configured one. */
  agent: string | null;
  /** A human answers in the agent's place until then; null: the agent answers. */
  humanUntil: number | null;
}

export type Takeover = Pick<RouteRow, "humanUntil">;

/** Whether a human answers in the agent's place. A session that moved to another chat has left its takeover behind. */
export function isTakenOver(route: Pick<RouteRow, "humanUntil" | "expiredReason">, now: number): boolean {
  return route.expiredReason === null && route.humanUntil !== null && route.humanUntil > now;
}

/** The model and the agent that a chat chose. */
export type RouteChoice = Partial<Pick<RouteRow, "model" | "agent">>;

export interface NewRoute {
  sessionKey: SessionKey;
  origin: Origin;
  tuple: string;
  session: NewSession;
  /** The session that the caller believes is current; null: none. */
  expectedSessionId: SessionId | null;
  endReason: EndReason;
  flags?: Partial<RouteFlags>;
  at: number;
}

/** A session that starts together with a turn. */
export interface RouteOpening {
  origin: Origin;
  tuple: string;
  session: NewSession;
  /** Why the previous session ends by itself; undefined: there is none. */
  reset?: string | undefined;
  /** Queues a task for the previous session: its agent may save memories. */
  memoryFlush?: boolean | undefined;
}

export interface SessionCopy {
  /** Default: the next title of its lineage. */
  title?: string;
  /** Owner of the copy. Default: the original's owner; all participants keep access. */
  owner?: Person;
  /** Its id: a session that has it is the copy, made by an earlier call. */
  id?: SessionId;
  /** Only the messages before this one: a fork. */
  before?: number;
}

export interface RouteSplit {
  sessionKey: SessionKey;
  epoch: number;
  parentId: SessionId;
  messages: readonly NewMessage[];
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

export interface DueQuery {
  now: number;
  limit: number;
  /** The position of the previous page's last route. */
  after?: Position;
}

export interface DueRoute {
  route: RouteRow;
  dueAt: number;
  position: Position;
}

export interface SettledRoutes {
  /** The settings by which routes are judged. */
  rules: string;
  expired: readonly ExpiredRoute[];
  postponed: readonly PostponedRoute[];
}

export interface ExpiredRoute {
  sessionKey: SessionKey;
  /** As it was read: if another one is current, nothing happens. */
  sessionId: SessionId;
  reason: string;
}

export interface PostponedRoute {
  sessionKey: SessionKey;
  /** As it was read. */
  epoch: number;
  dueAt: number;
  until: number;
}

export interface ClosedChat {
  platform: string;
  account: string;
  sessionKey: SessionKey;
  /** Of the cancelled messages. */
  reason: string;
  endReason: EndReason;
}

/** An account with a single chat, both with this id. */
export interface Heir {
  id: string;
  sessionKey: SessionKey;
}

/** The last turn of a session that expired: its agent may save what matters about this person. */
export interface MemoryFlush {
  sessionId: SessionId;
  platform: string;
  userId: string;
}
