import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { HermesError } from "../../../errors.js";
import { roomOf } from "../../../message.js";
import type { EndReason, SessionId, SessionKey, SessionRow } from "../../../session.js";
import type {
  AdoptedRoute,
  ClosedChat,
  ExpiredRoute,
  KnownChat,
  KnownChatsQuery,
  NewRoute,
  RouteChoice,
  RouteFlags,
  RouteOpening,
  RouteRow,
  RouteSplit,
  RouteSwitch,
  Takeover,
} from "../../queues.js";
import { type StoredRoute, toRoute } from "../../shared/rows.js";
import { branchSession, continuedBy, splitSession } from "../lineage.js";
import {
  createSession,
  endSession,
  getSession,
  leaveOtherRooms,
  putInRoom,
  reopenSession,
  requireSession,
} from "../sessions.js";
import { sql } from "../statements.js";
import { longRead, read, write } from "../verb.js";
import { dropKey, saveKey } from "./keys.js";
import { queueMemoryFlush } from "./memory-flushes.js";

export const getRoute = read(function getRoute(db: Database, key: SessionKey): RouteRow | undefined {
  const row = sql(db, "SELECT * FROM gw_routes WHERE session_key = ?").get(key) as StoredRoute | undefined;
  return row && toRoute(row);
});

/** Threads and people of a room have their own routes; each chat is listed once. */
export const knownChats = longRead(function knownChats(
  db: Database,
  { platform, called, of, limit }: KnownChatsQuery,
): KnownChat[] {
  const rows = sql(
    db,
    `WITH places AS (
       SELECT origin ->> '$.platform' AS platform, origin ->> '$.chatType' AS chatType, origin ->> '$.chatId' AS chatId,
         origin ->> '$.threadId' AS threadId, origin ->> '$.chatName' AS chatName, origin ->> '$.userName' AS userName,
         max(updated_at) AS lastActivity
       FROM gw_routes WHERE (@platform IS NULL OR origin ->> '$.platform' = @platform) AND (@ofPlatform IS NULL OR (
         origin ->> '$.platform' = @ofPlatform
         AND (COALESCE(origin ->> '$.userId', origin ->> '$.userIdAlt') = @ofUser
           OR origin ->> '$.chatType' <> 'dm' AND origin ->> '$.chatId' IN (
             SELECT r.chat_id FROM gw_rooms r WHERE r.platform = @ofPlatform AND r.session_id IN (
               SELECT id FROM sessions WHERE user_id = @ofUser AND source = @ofPlatform
               UNION ALL SELECT session_id FROM gw_participants WHERE platform = @ofPlatform AND user_id = @ofUser)))))
       GROUP BY 1, 3, 4)
     SELECT places.*, COALESCE((SELECT account FROM gw_inbox i WHERE i.platform = places.platform
       AND i.chat_id = places.chatId ORDER BY i.id DESC LIMIT 1), '') AS account
     FROM places WHERE @called IS NULL OR chatId = @called
       OR ltrim(COALESCE(chatName, userName), '#@') = ltrim(@called, '#@') COLLATE NOCASE
     ORDER BY lastActivity DESC LIMIT @limit`,
  ).all({
    ...{ platform: platform ?? null, called: called ?? null, limit },
    ...{ ofPlatform: of?.platform ?? null, ofUser: of?.userId ?? null },
  });
  return rows as KnownChat[];
});

export const switchRoute = write(function switchRoute(
  db: Database,
  to: NewRoute | RouteSwitch,
): RouteRow | undefined {
  const current = getRoute(db, to.sessionKey);
  if ("sessionId" in to) return current && toSession(db, current, to);
  if ((current?.sessionId ?? null) !== to.expectedSessionId) return current;
  return replaceRoute(db, current, to);
});

/** For a turn: the previous session, if any, is reset. */
export function openForTurn(
  db: Database,
  current: RouteRow | undefined,
  { reset, memoryFlush, ...opening }: RouteOpening,
  at: { sessionKey: SessionKey; at: number },
): RouteRow {
  if (!current || reset === undefined)
    return replaceRoute(db, current, { ...opening, ...at, endReason: "session_reset" });
  if (current.expiredReason === null && memoryFlush) queueMemoryFlush(db, current);
  // A resumed or compressed session has messages without a turn.
  const resetHadActivity = (getSession(db, current.sessionId)?.message_count ?? 0) > 0;
  const flags = { wasAutoReset: true, autoResetReason: reset, resetHadActivity };
  return replaceRoute(db, current, { ...opening, ...at, endReason: "session_reset", flags });
}

function replaceRoute(
  db: Database,
  current: RouteRow | undefined,
  route: Omit<NewRoute, "expectedSessionId">,
): RouteRow {
  endCurrent(db, current, route.endReason);
  const session = createSession(db, route.session);
  saveKey(db, route.sessionKey, route.tuple);
  const stored = sql(
    db,
    `INSERT INTO gw_routes (session_key, session_id, origin, tuple, created_at, updated_at, last_user_activity, flags)
     VALUES (@key, @id, @origin, @tuple, @at, @at, @at, @flags)
     ON CONFLICT (session_key) DO UPDATE SET session_id = @id, origin = @origin, tuple = @tuple, created_at = @at,
       updated_at = @at, last_user_activity = @at, last_prompt_tokens = 0, epoch = epoch + 1, expired_reason = NULL,
       flags = @flags, due_at = 0 RETURNING *`,
  ).get({
    key: route.sessionKey,
    id: session.id,
    origin: JSON.stringify(route.origin),
    tuple: route.tuple,
    at: route.at,
    flags: JSON.stringify(route.flags ?? {}),
  });
  return toRoute(stored as StoredRoute);
}

/** An expired session has already ended, and may continue in another chat by now. */
function endCurrent(db: Database, current: RouteRow | undefined, reason: EndReason): void {
  if (current && current.expiredReason === null) endSession(db, current.sessionId, reason);
}

function toSession(
  db: Database,
  current: RouteRow,
  { sessionKey: key, sessionId: wanted, copy, endReason }: RouteSwitch,
): RouteRow | undefined {
  if (!getSession(db, wanted)) return undefined;
  const sessionId = copy ? branchSession(db, { sessionId: wanted, ...copy }).id : wanted;
  const session = requireSession(db, sessionId);
  const room = roomOf(current.origin);
  for (const { id } of continuedBy(db, session)) leaveOtherRooms(db, id, room);
  if (current.sessionId !== sessionId) endCurrent(db, current, endReason);
  reopenSession(db, sessionId);
  // A session is used by one chat at a time; another chat that had it starts a new one.
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

/** The reset policy found it due. */
export function expireRoute(db: Database, { sessionKey, sessionId, reason }: ExpiredRoute): boolean {
  const expired = sql(
    db,
    `UPDATE gw_routes SET expired_reason = ?, epoch = epoch + 1
     WHERE session_key = ? AND session_id = ? AND expired_reason IS NULL`,
  ).run(reason, sessionKey, sessionId).changes;
  if (expired === 0) return false;
  queueMemoryFlush(db, getRoute(db, sessionKey)!);
  endSession(db, sessionId, "session_reset");
  setRouteFlags(db, sessionKey, { expiryFinalized: true });
  return true;
}

export const setRouteChoice = write(function setRouteChoice(
  db: Database,
  key: SessionKey,
  choice: RouteChoice & Partial<Takeover>,
): boolean {
  const current = getRoute(db, key);
  if (!current) return false;
  const { model, agent, humanUntil } = { ...current, ...choice };
  // No reset during a takeover; the sweep checks again later.
  sql(
    db,
    `UPDATE gw_routes SET model = @model, agent = @agent, due_at = iif(human_until IS @humanUntil, due_at, 0),
       human_until = @humanUntil WHERE session_key = @key`,
  ).run({ model, agent, humanUntil, key });
  return true;
});

export const closeChat = write(function closeChat(db: Database, chat: ClosedChat): void {
  const { platform, account, sessionKey, reason, endReason } = chat;
  sql(
    db,
    "UPDATE gw_inbox SET state = 'cancelled', reason = ? WHERE state = 'dead' AND platform = ? AND account = ?",
  ).run(reason, platform, account);
  const route = getRoute(db, sessionKey);
  const waiting = sql(
    db,
    "SELECT 1 FROM gw_inbox WHERE state = 'waiting' AND platform = ? AND account = ? LIMIT 1",
  );
  if (!route || route.expiredReason !== null || waiting.get(platform, account) !== undefined) return;
  closeRoute(db, sessionKey, route.sessionId, endReason);
});

/** Ends a session together with its route. */
export function closeRoute(db: Database, key: SessionKey, sessionId: SessionId, reason: EndReason): void {
  endSession(db, sessionId, reason);
  const { changes } = sql(db, "DELETE FROM gw_routes WHERE session_key = ? AND session_id = ?").run(
    key,
    sessionId,
  );
  if (changes > 0) dropKey(db, key);
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
    saveKey(db, sessionKey, tuple);
    const row = [sessionKey, sessionId, JSON.stringify(origin), tuple, createdAt, updatedAt, updatedAt];
    return insert.run(...row, lastPromptTokens, JSON.stringify(flags)).changes;
  });
  return adopted.reduce((sum, changes) => sum + changes, 0);
}

export const setRouteFlags = write(function setRouteFlags(
  db: Database,
  key: SessionKey,
  flags: Partial<RouteFlags>,
): void {
  sql(
    db,
    `UPDATE gw_routes SET flags = json_patch(flags, ?), due_at = iif(?, 0, due_at) WHERE session_key = ?`,
  ).run(JSON.stringify(flags), flags.suspended ? 1 : 0, key);
});

/** Moves the route together with the conversation, or changes nothing. */
export const splitRoute = write(function splitRoute(db: Database, split: RouteSplit): SessionRow | undefined {
  const route = getRoute(db, split.sessionKey);
  if (!route || route.epoch !== split.epoch || route.sessionId !== split.parentId) return undefined;
  const child = splitSession(db, { parentId: split.parentId, messages: split.messages });
  if (!child) throw new HermesError("conflict", `Session '${split.parentId}' has already ended.`);
  sql(
    db,
    "UPDATE gw_routes SET session_id = ?, updated_at = ?, last_prompt_tokens = 0, epoch = epoch + 1 WHERE session_key = ?",
  ).run(child.id, nowSeconds(), split.sessionKey);
  return child;
});
