import Database from "better-sqlite3";

/**
 * Puts a view in the place of a table, and reading it never ends: the thread that tries stays inside of one SQLite
 * statement. Other processes write `state.db` too, so a store has to live with what it finds there.
 */
export function makeEndless(file: string, table: string): void {
  const db = new Database(file);
  try {
    const columns = db.pragma(`table_info(${table})`) as { name: string }[];
    db.exec(`DROP TABLE ${table};
      CREATE VIEW ${table} AS
        WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)
        SELECT ${columns.map(({ name }) => `max(n) AS "${name}"`).join(", ")} FROM endless`);
  } finally {
    db.close();
  }
}
