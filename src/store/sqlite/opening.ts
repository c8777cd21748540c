import type { Database } from "better-sqlite3";
import { connect, explainDamage } from "./connect.js";
import { defineInTime } from "./deadline.js";
import { isBusy, isCorrupt } from "./faults.js";
import { checkForeign, type ForeignFile, standIn } from "./foreign.js";
import { retryDelayMs } from "./group-commit.js";
import { type Preparing, prepare } from "./prepare.js";

/** The connection that writes. Undefined for a file that isn't ours to write. */
export function openWriter(options: Preparing & { foreign: ForeignFile }): Promise<Database | undefined> {
  const { path, foreign } = options;
  return whenFree(path, (opened) => {
    if (!opened.db && checkForeign(path, foreign)) return undefined;
    opened.db ??= connect(path, { readonly: false });
    prepare(opened.db, options);
    return opened.db;
  });
}

/** A connection that reads. */
export function openReader(path: string): Promise<Database> {
  return whenFree(path, (opened) => {
    opened.db ??= connect(path, { readonly: true });
    standIn(opened.db, path);
    defineInTime(opened.db);
    return opened.db;
  });
}

/** A connection that only moves what is committed from the WAL into the file. */
export function openCheckpointer(path: string): Promise<Database> {
  return whenFree(path, (opened) => {
    opened.db ??= connect(path, { readonly: false });
    return opened.db;
  });
}

/** Opening can meet a lock: another process may be recovering the file, or closing it as the last. */
async function whenFree<T>(path: string, open: (opened: { db?: Database }) => T): Promise<T> {
  const opened: { db?: Database } = {};
  for (let tries = 1; ; tries += 1) {
    try {
      return open(opened);
    } catch (error) {
      if (!isBusy(error)) {
        opened.db?.close();
        throw isCorrupt(error) ? (explainDamage(path) ?? error) : error;
      }
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(tries)));
    }
  }
}
