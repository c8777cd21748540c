import type BetterSqlite3 from "better-sqlite3";
import type { NewMessage } from "../src/session.js";
import { Database } from "../src/store/sqlite/driver.js";
import type { Line, Session } from "./corpus.js";

/**
 * The baseline for the store: plain better-sqlite3 with the original v11 schema (every message in both full-text
 * tables), SQLite's defaults in WAL mode, `synchronous=FULL`, one transaction per message.
 */
const TEXT = (row: string) =>
  `COALESCE(${row}.content, '') || ' ' || COALESCE(${row}.tool_name, '') || ' ' || COALESCE(${row}.tool_calls, '')`;

const triggers = (table: string) => `
CREATE TRIGGER ${table}_insert AFTER INSERT ON messages BEGIN
  INSERT INTO ${table}(rowid, content) VALUES (new.id, ${TEXT("new")});
END;
CREATE TRIGGER ${table}_delete AFTER DELETE ON messages BEGIN
  DELETE FROM ${table} WHERE rowid = old.id;
END;
CREATE TRIGGER ${table}_update AFTER UPDATE ON messages BEGIN
  DELETE FROM ${table} WHERE rowid = old.id;
  INSERT INTO ${table}(rowid, content) VALUES (new.id, ${TEXT("new")});
END;`;

const SCHEMA = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (11);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
  message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
  input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
  cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
  billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL, actual_cost_usd REAL,
  cost_status TEXT, cost_source TEXT, pricing_version TEXT, title TEXT, api_call_count INTEGER DEFAULT 0,
  FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
  content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
  finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT,
  codex_message_items TEXT
);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE VIRTUAL TABLE messages_fts USING fts5(content);
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram');
${triggers("messages_fts")}
${triggers("messages_fts_trigram")}`;

export class Plain {
  readonly db: BetterSqlite3.Database;
  readonly #insert: BetterSqlite3.Statement;
  readonly #count: BetterSqlite3.Statement;
  readonly #session: BetterSqlite3.Statement;
  readonly #one: (line: Line) => void;
  readonly #many: (sessions: readonly Session[], lines: readonly Line[]) => void;

  static create(path: string): Plain {
    const db = connect(path);
    db.exec(SCHEMA);
    return new Plain(db);
  }

  static open(path: string): Plain {
    return new Plain(connect(path));
  }

  private constructor(db: BetterSqlite3.Database) {
    this.db = db;
    this.#session = this.db.prepare(
      "INSERT INTO sessions (id, source, user_id, model, started_at, title) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#insert = this.db.prepare(
      `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count, finish_reason)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#count = this.db.prepare(
      "UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? WHERE id = ?",
    );
    this.#one = this.db.transaction((line: Line) => this.#write(line)).immediate;
    this.#many = this.db.transaction((sessions: readonly Session[], lines: readonly Line[]) => {
      for (const s of sessions) this.#session.run(s.id, s.source, s.user_id, s.model, s.started_at, s.title);
      for (const line of lines) this.#write(line);
    });
  }

  /** One transaction per message. */
  append(lines: readonly Line[]): void {
    for (const line of lines) this.#one(line);
  }

  /** For setup: many messages per transaction. */
  fill(sessions: readonly Session[], lines: readonly Line[]): void {
    this.#many(sessions, lines);
  }

  endAll(): void {
    this.db.prepare("UPDATE sessions SET ended_at = started_at + 3600, end_reason = 'cli_close'").run();
  }

  close(): void {
    this.db.close();
  }

  #write({ session, message }: Line): void {
    const { role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count, finish_reason } =
      message;
    this.#insert.run(
      session,
      role,
      content ?? null,
      tool_call_id ?? null,
      toJson(tool_calls),
      tool_name ?? null,
      timestamp ?? Date.now() / 1000,
      token_count ?? null,
      finish_reason ?? null,
    );
    this.#count.run(tool_calls?.length ?? 0, session);
  }
}

function connect(path: string): BetterSqlite3.Database {
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  return db;
}

const toJson = (value: NewMessage["tool_calls"]) => (value ? JSON.stringify(value) : null);
