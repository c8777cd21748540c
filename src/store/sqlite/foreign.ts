/** Files of another Hermes program that were not adopted: they are only read. */
import fs from "node:fs";
import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import { connect } from "./connect.js";
import { readLayoutVersion } from "./layout-version.js";
import { type FileKind, kindOf } from "./prepare.js";
import { completeTemporarily, readVersion } from "./schema.js";

/** How to handle such a file: adopt it, read it, or refuse it. */
export type ForeignFile = "adopt" | "read" | "refuse";

export function isForeign(db: Database, kind: FileKind): boolean {
  return kind !== "new" && readLayoutVersion(db) === undefined;
}

/** True if the file may only be read. Throws if not even that is allowed. Doesn't touch the file. */
export function checkForeign(path: string, mode: ForeignFile): boolean {
  if (mode === "adopt" || !fs.statSync(path, { throwIfNoEntry: false })?.size) return false;
  const db = connect(path, { readonly: true });
  try {
    const kind = kindOf(db, path);
    if (!isForeign(db, kind)) return false;
    if (mode === "refuse" || kind === "older") throw notAdopted(path, readVersion(db));
    return true;
  } finally {
    db.close();
  }
}

/** Gives a reader of such a file the tables and columns that queries expect. */
export function standIn(db: Database, path: string): void {
  if (isForeign(db, kindOf(db, path))) completeTemporarily(db);
}

export function notAdopted(path: string, version?: number): HermesError {
  const schema = version === undefined ? "" : ` (schema ${version})`;
  return new HermesError(
    "conflict",
    `${path} belongs to another Hermes program${schema} and was not adopted. Nothing was changed.`,
    { hint: "`hermes adopt --check` shows what adopting it would change, `hermes adopt` does it." },
  );
}
