import Database from "better-sqlite3";

/** Archives a session, as Hermes Agent does. */
export function archive(file: string, sessionId: string): void {
  const db = new Database(file);
  db.prepare("UPDATE sessions SET archived = 1 WHERE id = ?").run(sessionId);
  db.close();
}
