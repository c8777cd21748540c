import type { Database } from "better-sqlite3";
import type { ListedRoute, RoutePage, RouteQuery } from "../../queues.js";
import { type StoredRoute, toRoute } from "../../shared/rows.js";
import { fromPosition, toPosition } from "../position.js";
import { sql } from "../statements.js";
import { read } from "../verb.js";

/** Chats wait for short reads, so a page is small. */
const LIMIT = 100;
const MAX_LIMIT = 200;

interface FoundRoute extends StoredRoute {
  due_at: number;
  row: number;
}

export const listRoutes = read(function listRoutes(db: Database, query: RouteQuery = {}): RoutePage {
  const { sessionId, except, dueBy, after } = query;
  const limit = Math.min(query.limit ?? LIMIT, MAX_LIMIT);
  const isDue = dueBy !== undefined;
  const conditions = [
    isDue
      ? "expired_reason IS NULL AND due_at <= @dueBy AND (due_at, rowid) > (@dueAt, @row)"
      : "rowid > @row",
    ...(sessionId === undefined ? [] : ["session_id = @sessionId"]),
    ...(except === undefined ? [] : ["origin ->> '$.platform' <> @except"]),
  ];
  const rows = sql(
    db,
    `SELECT *, rowid AS row FROM gw_routes WHERE ${conditions.join(" AND ")}
     ORDER BY ${isDue ? "due_at, rowid" : "rowid"} LIMIT @count`,
  ).all({ sessionId, except, dueBy, ...behind(after), count: limit + 1 }) as FoundRoute[];
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const isAll = conditions.length === 1 && !isDue && !after;
  return {
    routes: rows.slice(0, limit).map(toListed),
    next: last ? toPosition(last.due_at, last.row) : null,
    ...(isAll ? { total: countRoutes(db) } : {}),
  };
});

function behind(position: RouteQuery["after"]): { dueAt: number; row: number } {
  const [dueAt, row] = position ? fromPosition(position, "number", "number") : [-1, 0];
  return { dueAt, row };
}

function toListed(row: FoundRoute): ListedRoute {
  return { ...toRoute(row), dueAt: row.due_at };
}

/** Uses the smallest index, without reading routes. */
export function countRoutes(db: Database): number {
  return sql(db, "SELECT count(*) FROM gw_routes").pluck().get() as number;
}
