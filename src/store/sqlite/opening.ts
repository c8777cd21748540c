import type { Database } from "better-sqlite3";
import { connect, explainDamage } from "./connect.js";
import { defineInTime } from "./deadline.js";
import { isBusy, isCorrupt } from "./faults.js";
import { checkForeign, type ForeignFile, standIn } from "./foreign.js";
import { retryDelayMs } from "./group-commit.js";
import { type Preparing, prepare } from "./prepare.js";

/** The writer's connection. Undefined for a file we may not write. */
export function openWriter(options: Preparing & { foreign: ForeignFile }): Promise<Database | undefined> {
  const { path, foreign } = options;
  return whenFree(path, (opened) => {
    if (!opened.db && checkForeign(path, foreign)) return undefined;
    opened.db ??= connect(path, { readonly: false });
    prepare(opened.db, options);
    return opened.db;
  });
}

/** A reader's connection. */
export function openReader(path: string): Promise<Database> {
  return whenFree(path, (opened) => {
    opened.db ??= connect(path, { readonly: true });
    standIn(opened.db, path);
    defineInTime(opened.db);
    return opened.db;
  });
}

/** The checkpointer's connection, which only moves committed pages from the WAL into the file. */
export function openCheckpointer(path: string): Promise<Database> {
  return whenFree(path, (opened) => {
    opened.db ??= connect(path, { readonly: false });
    return opened.db;
  });
}

/** Opening can hit a lock: another process may be recovering the file, or closing the last connection. */
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
