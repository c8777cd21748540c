import type { Database } from "better-sqlite3";
import type { CheckReport, Progress } from "../store.js";
import { isCorrupt } from "./faults.js";
import {
  FULL_TEXT_TABLES,
  type FullTextTable,
  hasCjk,
  indexedText,
  inlineText,
  type Layout,
  readLayout,
  triggerNames,
} from "./fulltext.js";
import { idRanges } from "./ranges.js";
import { rebuildFullText } from "./rebuild.js";
import { apart, write } from "./verb.js";

const MAX_PROBLEMS = 20;
const IDS_PER_BATCH = 2000;

/** Runs SQLite's integrity check, then compares the full-text index with the messages. Read only. */
export const check = apart(function* check(db: Database): Generator<Progress, CheckReport> {
  yield { step: "Checking the file", done: 0, total: 1 };
  const problems = integrityProblems(db);
  for (const table of FULL_TEXT_TABLES) problems.push(...(yield* checkFullText(db, table)));
  return { ok: problems.length === 0, problems };
});

/** A killed rebuild leaves a partial table; the next one removes it. */
const LEFT_BEHIND = /\bgw_(?:new|old)_messages_fts/;

function integrityProblems(db: Database): string[] {
  const found: string[] = [];
  const lines = db.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).pluck();
  try {
    for (const line of lines.iterate() as IterableIterator<string>) found.push(line);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    found.push("The file is too damaged to finish the check.");
  }
  return found.filter((line) => line !== "ok" && !LEFT_BEHIND.test(line));
}

function* checkFullText(db: Database, table: FullTextTable): Generator<Progress, string[]> {
  const names = new Set(db.prepare("SELECT name FROM sqlite_master").pluck().all());
  if (!names.has(table)) return [`${table} is missing.`];
  const lost = triggerNames(table).filter((name) => !names.has(name));
  const problems = lost.map((name) => `${table}: the trigger ${name} is missing.`);
  // A newer Hermes may keep the text elsewhere.
  if (!names.has(`${table}_content`)) return problems;
  try {
    return [...problems, ...(yield* compare(db, table, readLayout(db)))];
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [...problems, `${table} can't be compared: the file is damaged.`];
  }
}

/** Messages missing from the index or outdated there, and entries without a message. */
function* compare(db: Database, table: FullTextTable, layout: Layout): Generator<Progress, string[]> {
  const wanted = table === "messages_fts_trigram" && layout !== "inline" ? hasCjk("m") : "1";
  const wrong = db
    .prepare(
      `SELECT count(*) FROM messages m LEFT JOIN ${table}_content c ON c.id = m.id
       WHERE m.id > ? AND m.id <= ? AND ${wanted} AND (c.id IS NULL OR (c.c0 IS NOT ${indexedText("m")} AND c.c0 IS NOT ${inlineText("m")}))`,
    )
    .pluck();
  let count = 0;
  for (const { from, to, last } of idRanges(db, IDS_PER_BATCH)) {
    count += wrong.get(from, to) as number;
    yield { step: "Comparing the index", done: to, total: last };
  }
  const ghosts = db
    .prepare(
      `SELECT count(*) FROM ${table}_content c WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = c.id)`,
    )
    .pluck()
    .get() as number;
  return [
    ...(count > 0 ? [`${table}: ${count} message(s) are missing or outdated.`] : []),
    ...(ghosts > 0 ? [`${table}: ${ghosts} entr${ghosts === 1 ? "y has" : "ies have"} no message.`] : []),
  ];
}

/** Rebuilds derived data: SQLite's indexes if they were found wrong, and the full text. */
export const rebuildDerived = write(function* rebuildDerived(
  db: Database,
  problems: readonly string[],
): Generator<Progress, string[]> {
  const repaired: string[] = [];
  if (problems.some((line) => /index/i.test(line) && !line.includes("messages_fts"))) {
    db.exec("REINDEX sessions; REINDEX messages");
    repaired.push("indexes");
    yield { step: "Indexing", done: 0, total: 1 };
  }
  const layout = readLayout(db) === "inline" ? "inline" : "compact";
  yield* rebuildFullText(db, "messages_fts", "inline");
  yield* rebuildFullText(db, "messages_fts_trigram", layout);
  return [...repaired, ...FULL_TEXT_TABLES];
});
