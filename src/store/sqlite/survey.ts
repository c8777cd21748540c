import fs from "node:fs";
import type { Database } from "better-sqlite3";
import type { SessionId } from "../../session.js";
import type { ApprovedRow } from "../queues.js";
import { type Layout, readLayout } from "./fulltext.js";
import { type FileKind, kindOf } from "./prepare.js";
import { notAdopted } from "./queues/pairing.js";
import { isComplete, readVersion, SCHEMA_VERSION } from "./schema.js";
import { lookUntouched } from "./untouched.js";

/** The contents of a file, and what adopting it would change. */
export interface Survey {
  kind: FileKind;
  version: number | null;
  /** The version that older files are migrated to. */
  wanted: number;
  layout: Layout;
  /** SQLite's name for it; anything but "wal" is changed to "wal". */
  journalMode: string;
  /** Has every table, column and index. */
  complete: boolean;
  bytes: number;
  sessions: number;
  messages: number;
  /** Chats that are already known, except those of terminals. */
  routes: number;
  /** Count among the given ids. */
  absent: SessionId[];
  /** Count among the given people. */
  strangers: ApprovedRow[];
  /** Problems SQLite found; null if it wasn't checked. */
  problems: string[] | null;
}

export interface SurveyQuestions {
  ids: readonly SessionId[];
  people: readonly ApprovedRow[];
  /** A platform whose chats don't count. */
  terminal: string;
  /** Read every page. */
  integrity: boolean;
}

const MAX_PROBLEMS = 20;

/** Changes nothing, not even next to the file: see `lookUntouched`. */
export function survey(path: string, questions: SurveyQuestions): Promise<Survey> {
  return lookUntouched(path, (db) => {
    const kind = kindOf(db, path);
    const isNew = kind === "new";
    const has = (table: string) =>
      db.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(table) !== undefined;
    const count = (table: string) =>
      has(table) ? (db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number) : 0;
    return {
      kind,
      version: readVersion(db) ?? null,
      wanted: SCHEMA_VERSION,
      layout: readLayout(db),
      journalMode: db.pragma("journal_mode", { simple: true }) as string,
      complete: !isNew && isComplete(db),
      bytes: fs.statSync(path).size,
      sessions: count("sessions"),
      messages: count("messages"),
      routes: has("gw_routes") ? routesBut(db, questions.terminal) : 0,
      absent: isNew ? [...questions.ids] : absentFrom(db, questions.ids),
      strangers: has("gw_pairing_limits") ? notAdopted(db, questions.people) : [...questions.people],
      problems: questions.integrity ? problemsIn(db) : null,
    };
  });
}

function routesBut(db: Database, platform: string): number {
  return db
    .prepare("SELECT count(*) FROM gw_routes WHERE origin ->> '$.platform' <> ?")
    .pluck()
    .get(platform) as number;
}

function absentFrom(db: Database, ids: readonly SessionId[]): SessionId[] {
  const find = db.prepare("SELECT 1 FROM sessions WHERE id = ?");
  return ids.filter((id) => find.get(id) === undefined);
}

function problemsIn(db: Database): string[] {
  const lines = db.prepare(`PRAGMA quick_check(${MAX_PROBLEMS})`).pluck().all() as string[];
  return lines.filter((line) => line !== "ok");
}
