import type { Database } from "better-sqlite3";
import type { SessionKey } from "../../../session.js";
import type { SettledRoutes } from "../../queues.js";
import type { Progress } from "../../store.js";
import { getMeta, setMeta } from "../meta.js";
import { Slice } from "../slice.js";
import { sql } from "../statements.js";
import { write } from "../verb.js";
import { expireRoute } from "./routes.js";

/**
 * Which routes the sweep checks. `due_at` is a lower bound: activity postpones the real due time without
 * updating it, and the sweep then applies the policy and stores a later one.
 */

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
