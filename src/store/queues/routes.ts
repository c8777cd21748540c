import type { Origin, Person } from "../../message.js";
import type { EndReason, NewMessage, SessionId, SessionKey, SessionRow } from "../../session.js";
import type { Position } from "../common.js";
import type { NewSession } from "../history.js";

/** Which session each chat uses. Every change raises a route's epoch, so that turns with an older epoch can't write. */
export interface Routes {
  getRoute(key: SessionKey): Promise<RouteRow | undefined>;
  /** In the order in which the chats were first seen. */
  listRoutes(query?: RouteQuery): Promise<RoutePage>;
  /**
   * Ends sessions of due routes; the next message opens a new session. Postpones other routes that haven't
   * changed since they were read. If the reset settings changed since the last call, every route becomes due
   * again first. Returns the keys of ended routes.
   */
  settleDueRoutes(settled: SettledRoutes): Promise<SessionKey[]>;
  /**
   * Points a chat at another session: ends the current one with the reason, creates or reopens the other, raises the epoch. For a
   * new session: if `expectedSessionId` isn't current, nothing changes and the stored route, if any, is returned. For an existing
   * one: undefined if the chat has no route or the session doesn't exist.
   */
  switchRoute(to: NewRoute | RouteSwitch): Promise<RouteRow | undefined>;
  /** Null restores the configured default, or ends a takeover. Missing fields stay unchanged. False if the chat has no route. */
  setRouteChoice(key: SessionKey, choice: RouteChoice & Partial<Takeover>): Promise<boolean>;
  /** For a chat that no longer exists: cancels its dead messages and ends its session and route, unless messages are waiting. */
  closeChat(chat: ClosedChat): Promise<void>;
  /** Ends the session and continues in a child, with the route, in one transaction. Undefined if the epoch isn't current. */
  splitRoute(split: RouteSplit): Promise<SessionRow | undefined>;
  /**
   * Moves a chat to another id, with its routes, waiting messages and pending answers; returns the number of
   * routes. With an heir: takes over another account's open work; returns how many messages wait again. With
   * a person: merges everything of the person with the direct chat `from` into this person, including
   * sessions and records.
   */
  moveChat(platform: string, from: string, to: string | Heir | { person: string }): Promise<number>;

  /** Marks a session whose transcript is incomplete: it is rewritten until it is complete. */
  markTranscript(id: SessionId, isComplete: boolean): Promise<void>;
  markedTranscripts(): Promise<SessionId[]>;
}

/** Name of a shared value (`getValue`): when another process last changed routes. */
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
  /** The sweep ended the session; the next message opens a new one. */
  expiredReason: string | null;
  /** The model chosen in the chat, which new sessions keep; null for the configured one. */
  model: string | null;
  /** The agent chosen in the chat; null for the configured one. */
  agent: string | null;
  /** End of a takeover, during which a human answers; null if there is none. */
  humanUntil: number | null;
}

export type Takeover = Pick<RouteRow, "humanUntil">;

/** Whether a human answers instead of the agent. A takeover doesn't follow a session into another chat. */
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
  /** The session the caller expects to be current; null for none. */
  expectedSessionId: SessionId | null;
  endReason: EndReason;
  flags?: Partial<RouteFlags>;
  at: number;
}

export interface RouteSwitch {
  sessionKey: SessionKey;
  sessionId: SessionId;
  /** Points the chat at a copy of the session. */
  copy?: SessionCopy;
  /** Of the current session. */
  endReason: EndReason;
}

/** A session that starts together with a turn. */
export interface RouteOpening {
  origin: Origin;
  tuple: string;
  session: NewSession;
  /** Why the previous session is reset; undefined if there is none. */
  reset?: string | undefined;
  /** Queues a memory flush for the previous session. */
  memoryFlush?: boolean | undefined;
}

export interface SessionCopy {
  /** Default: the next title of its lineage. */
  title?: string;
  /** Owner of the copy. Default: the original's owner; all participants keep access. */
  owner?: Person;
  /** The copy's id. An existing session with this id was made by an earlier, identical call. */
  id?: SessionId;
  /** Copies only messages before this one: a fork. */
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

/** Missing fields match everything. */
export interface RouteQuery {
  /** Only those that point to this session. */
  sessionId?: SessionId;
  /** Without those of this platform. */
  except?: string;
  /** Only those that may be due for a reset by then, by due time. The reset policy decides. */
  dueBy?: number;
  after?: Position | null | undefined;
  /** At most 200; default: 100. */
  limit?: number;
}

export interface RoutePage {
  routes: ListedRoute[];
  /** The next position; null at the end. */
  next: Position | null;
  /** Of all routes. Only on the first page of all of them. */
  total?: number;
}

export interface ListedRoute extends RouteRow {
  /** It isn't due for a reset before. */
  dueAt: number;
}

export interface SettledRoutes {
  /** The reset settings that apply. */
  rules: string;
  expired: readonly ExpiredRoute[];
  postponed: readonly PostponedRoute[];
}

export interface ExpiredRoute {
  sessionKey: SessionKey;
  /** As read by the caller; nothing happens if it has changed. */
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
  /** Reason of the cancelled messages. */
  reason: string;
  endReason: EndReason;
}

/** An account with a single chat, both with this id. */
export interface Heir {
  id: string;
  sessionKey: SessionKey;
}

/** The last turn of an expired session, in which its agent may save memories about this person. */
export interface MemoryFlush {
  sessionId: SessionId;
  platform: string;
  userId: string;
}
