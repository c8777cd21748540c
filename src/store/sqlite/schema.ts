import type { Database } from "better-sqlite3";
import { isDoubled } from "./faults.js";
import { createFullText } from "./fulltext.js";
import { QUEUE_INDEXES, QUEUE_TABLES } from "./queues/schema.js";

/** The version of Hermes' schema that new files get. Later columns that we use are added without raising it. */
export const SCHEMA_VERSION = 11;

const SESSIONS = `
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    user_id TEXT,
    model TEXT,
    model_config TEXT,
    system_prompt TEXT,
    parent_session_id TEXT,
    started_at REAL NOT NULL,
    ended_at REAL,
    end_reason TEXT,
    message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0,
    cache_write_tokens INTEGER DEFAULT 0,
    reasoning_tokens INTEGER DEFAULT 0,
    billing_provider TEXT,
    billing_base_url TEXT,
    billing_mode TEXT,
    estimated_cost_usd REAL,
    actual_cost_usd REAL,
    cost_status TEXT,
    cost_source TEXT,
    pricing_version TEXT,
    title TEXT,
    api_call_count INTEGER DEFAULT 0,
    cwd TEXT,
    rewind_count INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
)`;

const MESSAGES = `
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL,
    content TEXT,
    tool_call_id TEXT,
    tool_calls TEXT,
    tool_name TEXT,
    timestamp REAL NOT NULL,
    token_count INTEGER,
    finish_reason TEXT,
    reasoning TEXT,
    reasoning_content TEXT,
    reasoning_details TEXT,
    codex_reasoning_items TEXT,
    codex_message_items TEXT,
    platform_message_id TEXT,
    observed INTEGER DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1
)`;

/** Hermes' tables as of v11, verbatim; our own start with `gw_`. */
const TABLES = [
  "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)",
  SESSIONS,
  MESSAGES,
  "CREATE TABLE IF NOT EXISTS state_meta (key TEXT PRIMARY KEY, value TEXT)",
  // Participants of a session besides its owner, to scope lists and searches to the asker.
  `CREATE TABLE IF NOT EXISTS gw_participants (
    session_id TEXT NOT NULL,
    platform TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (platform, user_id, session_id)
) WITHOUT ROWID`,
  // Authors of messages in shared sessions. Messages without a row were written by the session's own person.
  `CREATE TABLE IF NOT EXISTS gw_authors (
    message_id INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    platform TEXT NOT NULL,
    user_id TEXT NOT NULL,
    user_name TEXT,
    PRIMARY KEY (platform, user_id, message_id)
) WITHOUT ROWID`,
  // The room a session belongs to: everything was said there, so everyone there may see it.
  `CREATE TABLE IF NOT EXISTS gw_rooms (
    session_id TEXT PRIMARY KEY,
    platform TEXT NOT NULL,
    chat_id TEXT NOT NULL
) WITHOUT ROWID`,
  ...QUEUE_TABLES,
];

const INDEXES = [
  "CREATE INDEX IF NOT EXISTS idx_sessions_source ON sessions(source)",
  "CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id)",
  "CREATE INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC)",
  "CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp)",
  `CREATE INDEX IF NOT EXISTS idx_messages_platform_msg_id ON messages(session_id, platform_message_id)
    WHERE platform_message_id IS NOT NULL`,
  // For newest-first reads without sorting: last activity, newest-first search, scans for terms without an index.
  "CREATE INDEX IF NOT EXISTS gw_messages_time ON messages(timestamp, session_id)",
  // Titles of a lineage by range, with what picks one of them: their rows may be long. NOCASE folds what LIKE folds.
  `CREATE INDEX IF NOT EXISTS gw_sessions_lineage ON sessions(title COLLATE NOCASE, started_at, id)
    WHERE title IS NOT NULL`,
  // Sessions by person, for lists and searches on their behalf.
  "CREATE INDEX IF NOT EXISTS gw_sessions_user ON sessions(user_id, source) WHERE user_id IS NOT NULL",
  // Open and archived sessions: few among many.
  "CREATE INDEX IF NOT EXISTS gw_sessions_open ON sessions(started_at) WHERE ended_at IS NULL",
  "CREATE INDEX IF NOT EXISTS gw_sessions_archived ON sessions(started_at) WHERE archived = 1",
  "CREATE INDEX IF NOT EXISTS gw_participants_session ON gw_participants(session_id)",
  "CREATE INDEX IF NOT EXISTS gw_authors_session ON gw_authors(session_id)",
  "CREATE INDEX IF NOT EXISTS gw_rooms_chat ON gw_rooms(platform, chat_id)",
  ...QUEUE_INDEXES,
];

/**
 * Emulates `completeSchema` for one connection, without changing the file: missing tables are empty, missing
 * columns have their default.
 */
export function completeTemporarily(db: Database): void {
  for (const ddl of TABLES) {
    const name = nameOf(ddl);
    const isThere = (db.pragma(`main.table_info(${name})`) as unknown[]).length > 0;
    if (!isThere) db.exec(ddl.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    const missing = isThere ? missingColumns(db, name, ddl) : [];
    if (missing.length === 0) continue;
    const columns = missing.map((column) => {
      const [, value = "NULL"] = / DEFAULT (\S+)/.exec(column) ?? [];
      return `${value} AS ${column.split(" ", 1)[0]}`;
    });
    db.exec(`CREATE TEMP VIEW ${name} AS SELECT *, ${columns.join(", ")} FROM main.${name}`);
  }
}

export function createSchema(db: Database): void {
  for (const sql of TABLES) db.exec(sql);
  for (const sql of INDEXES) db.exec(sql);
  createFullText(db, "compact");
  db.prepare("INSERT INTO schema_version (version) VALUES (?)").run(SCHEMA_VERSION);
}

/** Adds the tables, columns and indexes that a file of version 11 or above may lack. Removes only indexes of ours. */
export function completeSchema(db: Database): void {
  // `gw_sessions_lineage` replaces it.
  db.exec("DROP INDEX IF EXISTS gw_sessions_title");
  for (const sql of TABLES) db.exec(sql);
  for (const sql of TABLES) addMissingColumns(db, nameOf(sql), sql);
  for (const sql of INDEXES) addIndex(db, sql);
}

/** Like Hermes: a file with duplicate titles does without the unique index. */
function addIndex(db: Database, sql: string): void {
  try {
    db.exec(sql);
  } catch (error) {
    if (!isDoubled(error)) throw error;
  }
}

/** True if `completeSchema` would change nothing, because opening a complete file must not need the write lock. */
export function isComplete(db: Database): boolean {
  const names = new Set(db.prepare("SELECT name FROM sqlite_master").pluck().all() as string[]);
  if (![...TABLES, ...INDEXES].every((sql) => names.has(nameOf(sql)))) return false;
  return TABLES.every((sql) => missingColumns(db, nameOf(sql), sql).length === 0);
}

/** The name of the table or index that a statement creates. */
function nameOf(sql: string): string {
  return /IF NOT EXISTS (\w+)/.exec(sql)![1]!;
}

function addMissingColumns(db: Database, table: string, ddl: string): void {
  for (const column of missingColumns(db, table, ddl)) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
}

/** Declarations (`name TYPE DEFAULT …`) of columns in the DDL that the file lacks. */
function missingColumns(db: Database, table: string, ddl: string): string[] {
  const present = new Set((db.pragma(`table_info(${table})`) as { name: string }[]).map((c) => c.name));
  return ddl
    .split("\n")
    .map((line) => line.trim().replace(/,$/, ""))
    .filter((line) => /^[a-z_]+ (TEXT|INTEGER|REAL)/.test(line))
    .filter((line) => !present.has(line.split(" ", 1)[0]!));
}

export function readVersion(db: Database): number | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").get();
  if (!table) return undefined;
  return db.prepare("SELECT version FROM schema_version LIMIT 1").pluck().get() as number | undefined;
}
