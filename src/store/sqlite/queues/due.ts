import type { Database } from "better-sqlite3";
import type { SessionKey } from "../../../session.js";
import type { DueQuery, DueRoute, SettledRoutes } from "../../queues.js";
import { type StoredRoute, toRoute } from "../../shared/rows.js";
import type { Progress } from "../../store.js";
import { getMeta, setMeta } from "../meta.js";
import { fromPosition, toPosition } from "../position.js";
import { Slice } from "../slice.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";
import { expireRoute } from "./routes.js";

/**
 * Which routes the sweep checks. `due_at` is a lower bound: activity postpones the real due time without
 * updating it, and the sweep then applies the policy and stores a later one.
 */

export const DUE_PAGE = `SELECT *, rowid AS row FROM gw_routes
  WHERE expired_reason IS NULL AND due_at <= @now AND (due_at, rowid) > (@dueAt, @row)
  ORDER BY due_at, rowid LIMIT @limit`;

export const dueRoutes = read(function dueRoutes(db: Database, { now, limit, after }: DueQuery): DueRoute[] {
  const [dueAt, row] = after === undefined ? [-1, 0] : fromPosition(after, "number", "number");
  const rows = sql(db, DUE_PAGE).all({ now, limit, dueAt, row }) as (StoredRoute & {
    due_at: number;
    row: number;
  })[];
  return rows.map((found) => {
    const { due_at: dueAt, row: id } = found;
    return { route: toRoute(found), dueAt, position: toPosition(dueAt, id) };
  });
});

/** Doesn't postpone a route that changed since it was read; it is checked again. */
export const settleDueRoutes = write(function* settleDueRoutes(
  db: Database,
  { rules, expired, postponed }: SettledRoutes,
): Generator<Progress, SessionKey[]> {
  yield* recheckRoutes(db, rules);
  const update = sql(
    db,
    "UPDATE gw_routes SET due_at = @until WHERE session_key = @sessionKey AND epoch = @epoch AND due_at = @dueAt",
  );
  for (const route of postponed) update.run(route);
  return expired.filter((route) => expireRoute(db, route)).map(({ sessionKey }) => sessionKey);
});

/** The reset settings that the stored due times are based on. */
const RESET_RULES = "gw_reset_rules";
const ROWS_PER_BATCH = 1000;

/** The reset settings changed: makes every route due for a check. Stores the settings last, so that a crash repeats this. */
function* recheckRoutes(db: Database, rules: string): Generator<Progress, void> {
  if (getMeta(db, RESET_RULES) === rules) return;
  const total = (sql(db, "SELECT max(rowid) FROM gw_routes").pluck().get() as number | null) ?? 0;
  const slice = new Slice();
  for (let done = 0; done <= total; done += ROWS_PER_BATCH) {
    sql(db, "UPDATE gw_routes SET due_at = 0 WHERE rowid > ? AND rowid <= ? AND due_at <> 0").run(
      done,
      done + ROWS_PER_BATCH,
    );
    yield* slice.pause({ step: "Checking every chat again", done, total });
  }
  setMeta(db, RESET_RULES, rules);
}
