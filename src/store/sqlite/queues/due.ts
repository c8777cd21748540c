import type { Database } from "better-sqlite3";
import { type DueQuery, type DueRoute, type PostponedRoute, RESET_RULES } from "../../queues.js";
import { type StoredRoute, toRoute } from "../../shared/rows.js";
import type { Progress } from "../../store.js";
import { setMeta } from "../meta.js";
import { Slice } from "../slice.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";

/**
 * Which routes the sweep looks at. `due_at` is a lower bound: activity moves the real time further away without
 * touching it, and the sweep, which applies the policy to what it finds, then writes a later one.
 */

export const DUE_PAGE = `SELECT *, rowid AS row FROM gw_routes
  WHERE expired_reason IS NULL AND due_at <= @now AND (due_at, rowid) > (@dueAt, @row)
  ORDER BY due_at, rowid LIMIT @limit`;

export const dueRoutes = read(function dueRoutes(db: Database, { now, limit, after }: DueQuery): DueRoute[] {
  const { dueAt, row } = after ?? { dueAt: -1, row: 0 };
  const rows = sql(db, DUE_PAGE).all({ now, limit, dueAt, row }) as (StoredRoute & {
    due_at: number;
    row: number;
  })[];
  return rows.map((found) => ({ route: toRoute(found), dueAt: found.due_at, row: found.row }));
});

/** Not for a route that has changed since it was read: that one is looked at again. */
export const postponeRoutes = write(function postponeRoutes(
  db: Database,
  routes: readonly PostponedRoute[],
): void {
  const update = sql(
    db,
    "UPDATE gw_routes SET due_at = @until WHERE session_key = @sessionKey AND epoch = @epoch AND due_at = @dueAt",
  );
  for (const route of routes) update.run(route);
});

const ROWS_AT_ONCE = 1000;

/** The rules have changed: every route is looked at again. The rules are noted last, so a crash repeats it. */
export const recheckRoutes = write(function* recheckRoutes(
  db: Database,
  rules: string,
): Generator<Progress, void> {
  const total = (sql(db, "SELECT max(rowid) FROM gw_routes").pluck().get() as number | null) ?? 0;
  const slice = new Slice();
  for (let done = 0; done <= total; done += ROWS_AT_ONCE) {
    sql(db, "UPDATE gw_routes SET due_at = 0 WHERE rowid > ? AND rowid <= ? AND due_at <> 0").run(
      done,
      done + ROWS_AT_ONCE,
    );
    yield* slice.pause({ step: "Looking at every chat again", done, total });
  }
  setMeta(db, RESET_RULES, rules);
});
