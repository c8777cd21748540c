import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";

/**
 * The version of our own tables (`gw_…`), in `state_meta`. Raised with every change that earlier versions of
 * this program can't handle. Hermes' tables have a separate version.
 */
export const LAYOUT_VERSION = 2;

const KEY = "gw_layout";
/** Present in every layout of our files. */
const INBOX = "gw_inbox";

/** Undefined if the file has none of our tables. Version 1 stored no number. */
export function readLayoutVersion(db: Database): number | undefined {
  const ours = db.prepare("SELECT 1 FROM main.sqlite_master WHERE lower(name) = ?").get(INBOX);
  if (ours === undefined) return undefined;
  const stored = db.prepare("SELECT value FROM main.state_meta WHERE key = ?").pluck().get(KEY);
  return stored === undefined ? 1 : Number(stored);
}

export function saveLayoutVersion(db: Database): void {
  db.prepare("INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)").run(KEY, String(LAYOUT_VERSION));
}

/** Throws for a file of a later version, and for one of an earlier version unless this process may migrate it. */
export function requireLayout(path: string, version: number | undefined, mayMigrate: boolean): void {
  if (version === undefined || version === LAYOUT_VERSION) return;
  if (version > LAYOUT_VERSION) {
    throw new HermesError(
      "conflict",
      `${path} was written by a later version of this program (layout ${version}; this one knows ${LAYOUT_VERSION}).`,
      { hint: "Update this program. The file was not changed." },
    );
  }
  if (mayMigrate) return;
  throw new HermesError(
    "conflict",
    `${path} was last used by an earlier version of this program (layout ${version}; this one needs ${LAYOUT_VERSION}).`,
    {
      hint: "Stop that version's gateway and chats, then start this one's gateway: it keeps a copy and migrates the file.",
    },
  );
}
