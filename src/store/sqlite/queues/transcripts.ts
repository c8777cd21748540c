import type { Database } from "better-sqlite3";
import type { SessionId } from "../../../session.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";

/** Sessions whose transcript is incomplete. */
export const markTranscript = write(function markTranscript(
  db: Database,
  id: SessionId,
  isComplete: boolean,
): void {
  if (isComplete) sql(db, "DELETE FROM gw_stale_transcripts WHERE session_id = ?").run(id);
  else sql(db, "INSERT OR IGNORE INTO gw_stale_transcripts (session_id) VALUES (?)").run(id);
});

export const markedTranscripts = read(function markedTranscripts(db: Database): SessionId[] {
  return sql(db, "SELECT session_id FROM gw_stale_transcripts ORDER BY session_id")
    .pluck()
    .all() as SessionId[];
});
