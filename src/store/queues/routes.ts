import type { Origin, Person } from "../../message.js";
import type { EndReason, NewMessage, SessionId, SessionKey, SessionRow } from "../../session.js";
import type { NewSession } from "../history.js";

/** Which chat is in which session. A route's epoch grows with every change: a turn with an older epoch can't write. */
export interface Routes {
  getRoute(key: SessionKey): Promise<RouteRow | undefined>;
  /** The chat whose current session this is. */
  findRoute(sessionId: SessionId): Promise<RouteRow | undefined>;
  listRoutes(): Promise<RouteRow[]>;
  countRoutes(): Promise<number>;
  /** Whether any chat has a route, without counting one platform's. */
  hasRoutes(except?: string): Promise<boolean>;
  /** Routes that may be due for a reset, ordered by their due time: the reset policy decides. */
  dueRoutes(query: DueQuery): Promise<DueRoute[]>;
  /** Sets a later due time for routes that haven't changed since they were read. */
  postponeRoutes(routes: readonly PostponedRoute[]): Promise<void>;
  /** Makes every route due again: the rules by which they were postponed have changed. */
  recheckRoutes(rules: string): Promise<void>;
  /**
   * Points a chat at a new session: ends the previous one with the reason, creates the session, raises the epoch. If
   * `expectedSessionId` isn't current, nothing changes and the stored route, if any, is returned.
   */
  openRoute(route: NewRoute): Promise<RouteRow | undefined>;
  /** Points a chat at an existing session: ends the current one, reopens the other, raises the epoch. */
  switchRoute(key: SessionKey, sessionId: SessionId, reason: EndReason): Promise<RouteRow | undefined>;
  /** Points a chat at a copy of a session. Undefined if the chat has no route or the session doesn't exist. */
  branchRoute(branch: RouteBranch): Promise<RouteRow | undefined>;
  /** Ends the session of a route that became due while the chat was silent. The next message opens a new one. */
  expireRoute(key: SessionKey, expectedSessionId: SessionId, resetReason: string): Promise<boolean>;
  /** Null: back to the configured model. False if the chat has no route. */
  setRouteModel(key: SessionKey, model: string | null): Promise<boolean>;
  /** Ends a session together with its route. */
  closeRoute(key: SessionKey, sessionId: SessionId, reason: EndReason): Promise<void>;
  /** Ends the session and continues in a child, with the route, in one transaction. Undefined if the epoch isn't current. */
  splitRoute(split: RouteSplit): Promise<SessionRow | undefined>;
  /** Adds routes of another Hermes program for keys that have none. Returns how many were added. */
  adoptRoutes(routes: readonly AdoptedRoute[]): Promise<number>;
  /** A chat got another id: moves its routes, waiting messages and pending answers. */
  moveChat(platform: string, from: string, to: string): Promise<number>;
  /** Continues what another account left open in a chat of its own. Returns how many messages wait again. */
  inheritChat(platform: string, from: string, heir: Heir): Promise<number>;

  /** Marks a session whose transcript is incomplete: it is rewritten until it is unmarked. */
  markTranscript(id: SessionId): Promise<void>;
  unmarkTranscript(id: SessionId): Promise<void>;
  markedTranscripts(): Promise<SessionId[]>;
}

/** A shared value (`getMeta`): when routes last changed without the knowledge of a running gateway. */
export const ROUTES_CHANGED = "gw_routes_changed_at";

/** A shared value (`getMeta`): the reset settings by which routes were postponed. */
export const RESET_RULES = "gw_reset_rules";

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
}

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

export interface RouteBranch {
  sessionKey: SessionKey;
  /** The session to copy. */
  sessionId: SessionId;
  /** Default: the next title of its lineage. */
  title?: string;
  /** Owner of the copy. Default: the original's owner; all participants keep access. */
  owner?: Person;
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
  /** The last route of the previous page. */
  after?: Pick<DueRoute, "dueAt" | "row">;
}

export interface DueRoute {
  route: RouteRow;
  dueAt: number;
  row: number;
}

export interface PostponedRoute {
  sessionKey: SessionKey;
  /** As it was read. */
  epoch: number;
  dueAt: number;
  until: number;
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
