import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { HermesError } from "../../../errors.js";
import { type Origin, roomOf } from "../../../message.js";
import type { EndReason, SessionId, SessionKey, SessionRow } from "../../../session.js";
import type {
  AdoptedRoute,
  KnownChat,
  KnownChatsQuery,
  NewRoute,
  RouteBranch,
  RouteFlags,
  RouteRow,
  RouteSplit,
} from "../../queues.js";
import { whileInTime } from "../deadline.js";
import { branchSession, continuedBy, splitSession } from "../lineage.js";
import {
  createSession,
  endSession,
  getSession,
  leaveOtherRooms,
  putInRoom,
  reopenSession,
} from "../sessions.js";
import { sql } from "../statements.js";
import { noteFarewell } from "./farewells.js";

export interface StoredRoute {
  session_key: string;
  session_id: string;
  origin: string;
  tuple: string;
  created_at: number;
  updated_at: number;
  last_user_activity: number;
  last_prompt_tokens: number;
  epoch: number;
  expired_reason: string | null;
  flags: string;
}

const NO_FLAGS: Partial<RouteFlags> = {};

export function toRoute(row: StoredRoute): RouteRow {
  const flags = row.flags === "{}" ? NO_FLAGS : (JSON.parse(row.flags) as Partial<RouteFlags>);
  // One by one: spreading takes ten times as long, and lists have tens of thousands.
  return {
    suspended: flags.suspended ?? false,
    resumePending: flags.resumePending ?? false,
    resumeReason: flags.resumeReason ?? null,
    wasAutoReset: flags.wasAutoReset ?? false,
    autoResetReason: flags.autoResetReason ?? null,
    resetHadActivity: flags.resetHadActivity ?? false,
    isFreshReset: flags.isFreshReset ?? false,
    expiryFinalized: flags.expiryFinalized ?? false,
    sessionKey: row.session_key,
    sessionId: row.session_id,
    origin: JSON.parse(row.origin) as Origin,
    tuple: row.tuple,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastUserActivity: row.last_user_activity,
    lastPromptTokens: row.last_prompt_tokens,
    epoch: row.epoch,
    expiredReason: row.expired_reason,
  };
}

export function getRoute(db: Database, key: SessionKey): RouteRow | undefined {
  const row = sql(db, "SELECT * FROM gw_routes WHERE session_key = ?").get(key) as StoredRoute | undefined;
  return row && toRoute(row);
}

export function findRoute(db: Database, sessionId: SessionId): RouteRow | undefined {
  const row = sql(db, "SELECT * FROM gw_routes WHERE session_id = ? AND expired_reason IS NULL").get(
    sessionId,
  );
  return row ? toRoute(row as StoredRoute) : undefined;
}

export function listRoutes(db: Database): RouteRow[] {
  const rows = sql(db, "SELECT * FROM gw_routes ORDER BY created_at, session_key").iterate();
  return Array.from(whileInTime(rows as IterableIterator<StoredRoute>), toRoute);
}

/** Counts in the smallest index, without reading a route. */
export function countRoutes(db: Database): number {
  return sql(db, "SELECT count(*) FROM gw_routes").pluck().get() as number;
}

export function hasRoutes(db: Database, except?: string): boolean {
  const text = "SELECT 1 FROM gw_routes WHERE ? IS NULL OR origin ->> '$.platform' <> ? LIMIT 1";
  return sql(db, text).get(except ?? null, except ?? null) !== undefined;
}

/** Threads and people of a room have routes of their own: each place stands here once. */
export function knownChats(db: Database, { platform, called, limit }: KnownChatsQuery): KnownChat[] {
  const rows = sql(
    db,
    `WITH places AS (
       SELECT origin ->> '$.platform' AS platform, origin ->> '$.chatType' AS chatType, origin ->> '$.chatId' AS chatId,
         origin ->> '$.threadId' AS threadId, origin ->> '$.chatName' AS chatName, origin ->> '$.userName' AS userName,
         max(updated_at) AS lastActivity
       FROM gw_routes WHERE @platform IS NULL OR origin ->> '$.platform' = @platform
       GROUP BY 1, 3, 4)
     SELECT places.*, COALESCE((SELECT account FROM gw_inbox i WHERE i.platform = places.platform
       AND i.chat_id = places.chatId ORDER BY i.id DESC LIMIT 1), '') AS account
     FROM places WHERE @called IS NULL OR chatId = @called
       OR ltrim(COALESCE(chatName, userName), '#@') = ltrim(@called, '#@') COLLATE NOCASE
     ORDER BY lastActivity DESC LIMIT @limit`,
  ).all({ platform: platform ?? null, called: called ?? null, limit });
  return rows as KnownChat[];
}

export function openRoute(db: Database, route: NewRoute): RouteRow | undefined {
  const current = getRoute(db, route.sessionKey);
  if ((current?.sessionId ?? null) !== route.expectedSessionId) return current;
  if (route.forMessage !== undefined && !isWaiting(db, route.forMessage)) return current;
  if (current && current.expiredReason === null && route.farewell) noteFarewell(db, current);
  endCurrent(db, current, route.endReason);
  const session = createSession(db, route.session);
  sql(
    db,
    `INSERT INTO gw_routes (session_key, session_id, origin, tuple, created_at, updated_at, last_user_activity, flags)
     VALUES (@key, @id, @origin, @tuple, @at, @at, @at, @flags)
     ON CONFLICT (session_key) DO UPDATE SET session_id = @id, origin = @origin, tuple = @tuple, created_at = @at,
       updated_at = @at, last_user_activity = @at, last_prompt_tokens = 0, epoch = epoch + 1, expired_reason = NULL,
       flags = @flags, due_at = 0`,
  ).run({
    key: route.sessionKey,
    id: session.id,
    origin: JSON.stringify(route.origin),
    tuple: route.tuple,
    at: route.at,
    flags: JSON.stringify(route.flags ?? {}),
  });
  return getRoute(db, route.sessionKey);
}

/** One that has expired was ended then; by now it may go on in another chat. */
function endCurrent(db: Database, current: RouteRow | undefined, reason: EndReason): void {
  if (current && current.expiredReason === null) endSession(db, current.sessionId, reason);
}

/** Cancelled or erased by another process, it must not begin a session. */
function isWaiting(db: Database, inboxId: number): boolean {
  return sql(db, "SELECT 1 FROM gw_inbox WHERE id = ? AND state = 'waiting'").get(inboxId) !== undefined;
}

export function switchRoute(
  db: Database,
  key: SessionKey,
  sessionId: SessionId,
  reason: EndReason,
): RouteRow | undefined {
  const current = getRoute(db, key);
  const session = getSession(db, sessionId);
  if (!current || !session) return undefined;
  const room = roomOf(current.origin);
  for (const { id } of continuedBy(db, session)) leaveOtherRooms(db, id, room);
  if (current.sessionId !== sessionId) endCurrent(db, current, reason);
  reopenSession(db, sessionId);
  // A conversation goes on in one chat at a time: another that was in it begins anew.
  sql(
    db,
    "UPDATE gw_routes SET expired_reason = 'session_switch', epoch = epoch + 1 WHERE session_id = ? AND session_key <> ?",
  ).run(sessionId, key);
  const now = nowSeconds();
  sql(
    db,
    `UPDATE gw_routes SET session_id = ?, created_at = ?, updated_at = ?, last_user_activity = ?,
       last_prompt_tokens = 0, epoch = epoch + 1, expired_reason = NULL, flags = '{}', due_at = 0
     WHERE session_key = ?`,
  ).run(sessionId, now, now, now, key);
  return getRoute(db, key);
}

export function branchRoute(db: Database, branch: RouteBranch): RouteRow | undefined {
  const { sessionKey, sessionId } = branch;
  if (!getRoute(db, sessionKey) || !getSession(db, sessionId)) return undefined;
  return switchRoute(db, sessionKey, branchSession(db, branch).id, "session_switch");
}

export function expireRoute(
  db: Database,
  key: SessionKey,
  expected: SessionId,
  resetReason: string,
): boolean {
  const expired = sql(
    db,
    `UPDATE gw_routes SET expired_reason = ?, epoch = epoch + 1
     WHERE session_key = ? AND session_id = ? AND expired_reason IS NULL`,
  ).run(resetReason, key, expected).changes;
  if (expired === 0) return false;
  noteFarewell(db, getRoute(db, key)!);
  endSession(db, expected, "session_reset");
  setRouteFlags(db, key, { expiryFinalized: true });
  return true;
}

export function closeRoute(db: Database, key: SessionKey, sessionId: SessionId, reason: EndReason): void {
  endSession(db, sessionId, reason);
  sql(db, "DELETE FROM gw_routes WHERE session_key = ? AND session_id = ?").run(key, sessionId);
}

export function adoptRoutes(db: Database, routes: readonly AdoptedRoute[]): number {
  const insert = sql(
    db,
    `INSERT OR IGNORE INTO gw_routes (session_key, session_id, origin, tuple, created_at, updated_at,
       last_user_activity, last_prompt_tokens, flags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const adopted = routes.map((route) => {
    const { sessionKey, sessionId, origin, tuple, createdAt, updatedAt, lastPromptTokens, flags } = route;
    createSession(db, {
      id: sessionId,
      source: origin.platform,
      user_id: origin.userId ?? null,
      started_at: createdAt,
    });
    const room = roomOf(origin);
    if (room) putInRoom(db, sessionId, room);
    const row = [sessionKey, sessionId, JSON.stringify(origin), tuple, createdAt, updatedAt, updatedAt];
    return insert.run(...row, lastPromptTokens, JSON.stringify(flags)).changes;
  });
  return adopted.reduce((sum, changes) => sum + changes, 0);
}

export function setRouteFlags(db: Database, key: SessionKey, flags: Partial<RouteFlags>): void {
  sql(
    db,
    `UPDATE gw_routes SET flags = json_patch(flags, ?), due_at = iif(?, 0, due_at) WHERE session_key = ?`,
  ).run(JSON.stringify(flags), flags.suspended ? 1 : 0, key);
}

/** The route moves with the conversation, or nothing happens at all. */
export function splitRoute(db: Database, split: RouteSplit): SessionRow | undefined {
  const route = getRoute(db, split.sessionKey);
  if (!route || route.epoch !== split.epoch || route.sessionId !== split.parentId) return undefined;
  const child = splitSession(db, { parentId: split.parentId, messages: split.messages });
  if (!child) throw new HermesError("conflict", `Session '${split.parentId}' has ended already.`);
  sql(
    db,
    "UPDATE gw_routes SET session_id = ?, updated_at = ?, last_prompt_tokens = 0, epoch = epoch + 1 WHERE session_key = ?",
  ).run(child.id, nowSeconds(), split.sessionKey);
  return child;
}
