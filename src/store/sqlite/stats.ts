import type { Database } from "better-sqlite3";
import type { FileLayout } from "../maintenance.js";
import type { Stats } from "../reports.js";
import { readLayout } from "./fulltext.js";
import { turnFigures } from "./reports/figures.js";
import { readVersion } from "./schema.js";
import { sql } from "./statements.js";
import { longRead, read } from "./verb.js";

export const stats = longRead(function stats(db: Database, turnsSince?: number): Stats {
  const bySource = sql(
    db,
    `SELECT source, count(*) AS sessions, COALESCE(sum(message_count), 0) AS messages FROM sessions
     WHERE archived = 0 GROUP BY source ORDER BY sessions DESC, source`,
  ).all() as Stats["bySource"];
  const value = (text: string) => sql(db, text).pluck().get() as number | null | undefined;
  return {
    sessions: bySource.reduce((sum, row) => sum + row.sessions, 0),
    archived: value("SELECT count(*) FROM sessions WHERE archived = 1") ?? 0,
    messages: value("SELECT count(*) FROM messages") ?? 0,
    bySource,
    newestMessageAt: value("SELECT timestamp FROM messages ORDER BY id DESC LIMIT 1") ?? null,
    databaseBytes: databaseBytes(db),
    ...(turnsSince === undefined ? {} : { turns: turnFigures(db, turnsSince) }),
  };
});

export const layout = read(function layout(db: Database): FileLayout {
  return { fullText: readLayout(db), schemaVersion: readVersion(db) ?? 0 };
});

/** All pages, including those that are still in the WAL. */
export const databaseBytes = read(function databaseBytes(db: Database): number {
  const pages = db.pragma("page_count", { simple: true }) as number;
  return pages * (db.pragma("page_size", { simple: true }) as number);
});
