import type { Database } from "better-sqlite3";
import type { SessionId, SessionKey } from "../../session.js";
import type { DeletionExtent, Progress } from "../store.js";
import { noteRoutesChanged } from "./meta.js";
import { removeSession } from "./prune.js";
import { dropKey } from "./queues/keys.js";
import { getSession } from "./sessions.js";
import { Slice } from "./slice.js";
import { sql } from "./statements.js";
import { write } from "./verb.js";

/** Removes queue rows first, so that nothing can start again. */
export const deleteSessions = write(function* deleteSessions(
  db: Database,
  ids: readonly SessionId[],
  { chat, owner }: DeletionExtent = {},
): Generator<Progress, number> {
  const slice = new Slice();
  if (chat !== undefined) dropChat(db, chat);
  let deleted = 0;
  for (const [done, id] of ids.entries()) {
    const session = getSession(db, id);
    if (!session) continue;
    // The owner may have changed in the meantime.
    if (owner && (session.user_id !== owner.userId || session.source !== owner.platform)) continue;
    const progress = { step: "Deleting", done, total: ids.length };
    // The session itself last: if it is killed before, another deletion finds the rest.
    for (const one of [...delegatesOf(db, id), id]) yield* removeSession(db, one, slice, progress);
    deleted += 1;
  }
  return deleted;
});

/** Descendants with the delegate marker, the deepest first. Walks a hand-made cycle once. */
function delegatesOf(db: Database, id: SessionId, seen = new Set([id])): SessionId[] {
  const children = sql(
    db,
    `SELECT id FROM sessions WHERE parent_session_id = ? AND model_config LIKE '%"\\_delegate\\_from"%' ESCAPE '\\'`,
  )
    .pluck()
    .all(id) as SessionId[];
  const fresh = children.filter((child) => !seen.has(child));
  for (const child of fresh) seen.add(child);
  return fresh.flatMap((child) => [...delegatesOf(db, child, seen), child]);
}

function dropChat(db: Database, key: SessionKey): void {
  sql(
    db,
    `DELETE FROM gw_steps WHERE turn_id IN (SELECT turn_id FROM gw_inbox WHERE session_key = ? AND turn_id IS NOT NULL)`,
  ).run(key);
  for (const table of ["gw_message_changes", "gw_questions", "gw_tool_calls", "gw_outbox"])
    sql(db, `DELETE FROM ${table} WHERE session_key = ?`).run(key);
  sql(db, "DELETE FROM gw_previews WHERE inbox_id IN (SELECT id FROM gw_inbox WHERE session_key = ?)").run(
    key,
  );
  // Event ids stay without their text, so that a message the page sends again is recognised.
  sql(
    db,
    `UPDATE gw_inbox SET state = iif(state IN ('waiting', 'running', 'dead'), 'cancelled', state), reason = 'deleted',
       finished_at = COALESCE(finished_at, received_at), error = NULL,
       payload = json_set(json_remove(payload, '$.quoted'), '$.text', '', '$.attachments', json('[]'))
     WHERE session_key = ?`,
  ).run(key);
  sql(db, "DELETE FROM gw_routes WHERE session_key = ?").run(key);
  dropKey(db, key);
  noteRoutesChanged(db);
}
