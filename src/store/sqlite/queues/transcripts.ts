import type { Database } from "better-sqlite3";
import type { SessionId } from "../../../session.js";
import { sql } from "../statements.js";

/** Sessions whose transcript lacks something that the database has. */
export function markTranscript(db: Database, id: SessionId): void {
  sql(db, "INSERT OR IGNORE INTO gw_incomplete_transcripts (session_id) VALUES (?)").run(id);
}

export function unmarkTranscript(db: Database, id: SessionId): void {
  sql(db, "DELETE FROM gw_incomplete_transcripts WHERE session_id = ?").run(id);
}

export function markedTranscripts(db: Database): SessionId[] {
  return sql(db, "SELECT session_id FROM gw_incomplete_transcripts ORDER BY session_id")
    .pluck()
    .all() as SessionId[];
}
