import type { Database } from "better-sqlite3";
import { TERMINAL_SOURCE } from "../../session.js";
import type { OnProgress } from "../common.js";
import { ownerOf } from "../shared/owner.js";
import { saveLayoutVersion } from "./layout-version.js";
import { adoptMemoryFlushes } from "./queues/memory-flushes.js";
import { completeSchema } from "./schema.js";

const STEPS: readonly ((db: Database) => void)[] = [
  renameTables,
  completeSchema,
  renameTaskKey,
  keepKeys,
  setOwners,
  adoptMemoryFlushes,
  saveLayoutVersion,
];

/** Migrates our own tables from layout 1 to 2 inside the caller's transaction, so that a crash never leaves a mix. */
export function migrateLayout(db: Database, onProgress: OnProgress): void {
  for (const [done, step] of STEPS.entries()) {
    onProgress({ step: "Migrating the queues", done, total: STEPS.length });
    step(db);
  }
}

/**
 * Version 0.1.0 takes a file for ours if it has a table called exactly `gw_inbox`. SQLite doesn't care about case, so `gw_Inbox` is
 * the same table to every statement, but that version leaves the file alone: it would misread the rows.
 */
function renameTables(db: Database): void {
  db.exec(`
    ALTER TABLE gw_inbox RENAME TO gw_inbox_renamed;
    ALTER TABLE gw_inbox_renamed RENAME TO gw_Inbox;
    DROP INDEX IF EXISTS gw_notes_open;
    ALTER TABLE gw_notes RENAME TO gw_message_changes;
    ALTER TABLE gw_message_changes RENAME COLUMN told TO known_text;
    ALTER TABLE gw_message_changes RENAME COLUMN open TO pending;
    ALTER TABLE gw_incomplete_transcripts RENAME TO gw_stale_transcripts;
  `);
}

/** Messages that no person typed carried their details under `errand`. */
function renameTaskKey(db: Database): void {
  const rows = db.prepare(`SELECT id, payload FROM gw_inbox WHERE payload LIKE '%"errand":%'`).all() as {
    id: number;
    payload: string;
  }[];
  const update = db.prepare("UPDATE gw_inbox SET payload = ? WHERE id = ?");
  for (const { id, payload } of rows) {
    const { errand, ...message } = JSON.parse(payload) as { errand?: unknown };
    if (errand !== undefined) update.run(JSON.stringify({ ...message, task: errand }), id);
  }
}

/** Chats keep their keys. */
function keepKeys(db: Database): void {
  db.exec("INSERT OR IGNORE INTO gw_keys (session_key, tuple) SELECT session_key, tuple FROM gw_routes");
}

/** Rows belong to the gateway by default; the others belong to terminals. */
function setOwners(db: Database): void {
  for (const table of ["gw_inbox", "gw_outbox"]) {
    const accounts = db.prepare(`SELECT DISTINCT account FROM ${table} WHERE platform = ?`).pluck();
    const update = db.prepare(`UPDATE ${table} SET owner = ? WHERE platform = ? AND account = ?`);
    for (const account of accounts.all(TERMINAL_SOURCE) as string[])
      update.run(ownerOf(TERMINAL_SOURCE, account), TERMINAL_SOURCE, account);
  }
}
