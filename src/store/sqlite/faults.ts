import { HermesError } from "../../errors.js";
import { Database } from "./driver.js";

const BUSY = /^SQLITE_(BUSY|LOCKED)/;

export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && BUSY.test(error.code);
}

export function isDoubled(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === "SQLITE_CONSTRAINT_UNIQUE";
}

export function isCorrupt(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CORRUPT");
}

/** A SQLite error → one sentence for people and a hint. Other errors pass through. */
export function explainFault(error: unknown, path: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const fault = sentenceFor(error.code, path);
  return fault ? new HermesError("unavailable", fault[0], { hint: fault[1], cause: error }) : error;
}

function sentenceFor(code: string, path: string): [string, string] | undefined {
  if (code.startsWith("SQLITE_NOTADB")) return [`${path} is not an SQLite database.`, MOVE_AWAY];
  if (code.startsWith("SQLITE_CORRUPT")) {
    return [
      `${path} is damaged.`,
      "Run `hermes sessions repair`, or restore a backup. The file was not changed.",
    ];
  }
  if (code.startsWith("SQLITE_FULL")) {
    return [`The disk is full: ${path} could not grow.`, "Free some space; nothing was half-written."];
  }
  if (code.startsWith("SQLITE_READONLY")) {
    return [`${path} can't be written: the file, its folder or the disk is read-only.`, CHECK_ACCESS];
  }
  if (code.startsWith("SQLITE_CANTOPEN")) return [`${path} can't be opened.`, CHECK_ACCESS];
  if (code.startsWith("SQLITE_IOERR")) {
    return [
      `The disk failed while using ${path} (${code}).`,
      "Check free space, file size limits and the disk's health.",
    ];
  }
  return undefined;
}

const MOVE_AWAY =
  "Move it away and start again, or set HERMES_HOME to another folder. The file was not changed.";
export const CHECK_ACCESS = "Check that the file and its folder belong to you and can be written.";
