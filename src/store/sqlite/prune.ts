import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../clock.js";
import type { SessionId } from "../../session.js";
import type { Progress, Pruned, PruneQuery } from "../store.js";
import { claimAutoPrune, noteRoutesChanged } from "./meta.js";
import { Slice } from "./slice.js";
import { sql } from "./statements.js";
import { bulkRead, write } from "./verb.js";

const DAY_SECONDS = 86_400;
const ROWS_PER_BATCH = 20;

/** Ended sessions that started before the cut-off. Their children stay and become roots. */
export const pruneSessions = write(function* pruneSessions(
  db: Database,
  query: PruneQuery,
): Generator<Progress, Pruned> {
  const pruned = { sessions: 0, messages: 0, isDue: true };
  if (query.everyHours !== undefined && !claimAutoPrune(db, query.everyHours))
    return { ...pruned, isDue: false };
  const ids = prunable(db, query);
  const slice = new Slice();
  // Reopened in the meantime.
  const isEnded = sql(db, "SELECT 1 FROM sessions WHERE id = ? AND ended_at IS NOT NULL");
  for (const id of ids) {
    if (!isEnded.get(id)) continue;
    const progress = { step: "Pruning", done: pruned.sessions, total: ids.length };
    pruned.messages += yield* removeSession(db, id, slice, progress);
    pruned.sessions += 1;
  }
  return pruned;
});

export const countPrunable = bulkRead(function countPrunable(db: Database, query: PruneQuery): Pruned {
  const ids = prunable(db, query);
  const messages = sql(
    db,
    "SELECT count(*) FROM json_each(?) j CROSS JOIN messages m ON m.session_id = j.value",
  ).pluck();
  return { sessions: ids.length, messages: messages.get(JSON.stringify(ids)) as number, isDue: true };
});

function prunable(db: Database, { olderThanDays, source }: PruneQuery): SessionId[] {
  const cutoff = nowSeconds() - olderThanDays * DAY_SECONDS;
  return sql(
    db,
    `SELECT id FROM sessions WHERE ended_at IS NOT NULL AND started_at < ? AND (? IS NULL OR source = ?)
     ORDER BY started_at`,
  )
    .pluck()
    .all(cutoff, source ?? null, source ?? null) as SessionId[];
}

/** Deletes messages first, a few at a time: removing a row from the full text costs more than adding it. */
export function* removeSession(
  db: Database,
  id: SessionId,
  slice: Slice,
  progress: Progress,
): Generator<Progress, number> {
  const some = sql(
    db,
    `DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE session_id = ? LIMIT ${ROWS_PER_BATCH})`,
  );
  let removed = 0;
  for (let changes = -1; changes !== 0; removed += changes) {
    changes = some.run(id).changes;
    yield* slice.pause(progress);
  }
  sql(db, "UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?").run(id);
  sql(db, "DELETE FROM gw_participants WHERE session_id = ?").run(id);
  sql(db, "DELETE FROM gw_authors WHERE session_id = ?").run(id);
  sql(db, "DELETE FROM gw_stale_transcripts WHERE session_id = ?").run(id);
  sql(db, "DELETE FROM gw_rooms WHERE session_id = ?").run(id);
  // The chat that used it starts a new session.
  if (sql(db, "DELETE FROM gw_routes WHERE session_id = ?").run(id).changes > 0) noteRoutesChanged(db);
  sql(db, "DELETE FROM sessions WHERE id = ?").run(id);
  yield* slice.pause(progress);
  return removed;
}
