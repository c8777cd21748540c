import fs from "node:fs";
import type { Database as Connection } from "better-sqlite3";
import { Database } from "../../src/store/sqlite/driver.js";

/** Files as older and newer Hermes processes left them, made by our own SQL from its table of migrations. */

export type Row = Record<string, string | number | null>;
export interface History {
  sessions: Row[];
  messages: Row[];
}

const BASE = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
    message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER
);
CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);`;

/** Full text that borrows its text from `messages`, as up to version 10. */
const externalFullText = (table: string, tokenizer = "") => `
CREATE VIRTUAL TABLE ${table} USING fts5(content, content=messages, content_rowid=id${tokenizer});
CREATE TRIGGER ${table}_insert AFTER INSERT ON messages BEGIN
    INSERT INTO ${table}(rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER ${table}_delete AFTER DELETE ON messages BEGIN
    INSERT INTO ${table}(${table}, rowid, content) VALUES('delete', old.id, old.content);
END;
CREATE TRIGGER ${table}_update AFTER UPDATE ON messages BEGIN
    INSERT INTO ${table}(${table}, rowid, content) VALUES('delete', old.id, old.content);
    INSERT INTO ${table}(rowid, content) VALUES (new.id, new.content);
END;`;

/** Full text with a copy of its text, tool names and calls included, as in version 11. */
const inlineFullText = (table: string, tokenizer = "") => {
  const text = `COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')`;
  return `
CREATE VIRTUAL TABLE ${table} USING fts5(content${tokenizer});
CREATE TRIGGER ${table}_insert AFTER INSERT ON messages BEGIN
    INSERT INTO ${table}(rowid, content) VALUES (new.id, ${text});
END;
CREATE TRIGGER ${table}_delete AFTER DELETE ON messages BEGIN
    DELETE FROM ${table} WHERE rowid = old.id;
END;
CREATE TRIGGER ${table}_update AFTER UPDATE ON messages BEGIN
    DELETE FROM ${table} WHERE rowid = old.id;
    INSERT INTO ${table}(rowid, content) VALUES (new.id, ${text});
END;`;
};

const TRIGRAM = ", tokenize='trigram'";
const column = (table: string, declaration: string) => `ALTER TABLE ${table} ADD COLUMN ${declaration};`;

/** What each version changed. */
const STEPS: Record<number, string> = {
  1: BASE + externalFullText("messages_fts"),
  2: column("messages", "finish_reason TEXT"),
  3: column("sessions", "title TEXT"),
  4: "CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;",
  5: [
    ...["cache_read_tokens", "cache_write_tokens", "reasoning_tokens"].map(
      (name) => `${name} INTEGER DEFAULT 0`,
    ),
    ...["billing_provider", "billing_base_url", "billing_mode"].map((name) => `${name} TEXT`),
    ...["estimated_cost_usd", "actual_cost_usd"].map((name) => `${name} REAL`),
    ...["cost_status", "cost_source", "pricing_version"].map((name) => `${name} TEXT`),
  ]
    .map((declaration) => column("sessions", declaration))
    .join(""),
  6: ["reasoning", "reasoning_details", "codex_reasoning_items"]
    .map((name) => column("messages", `${name} TEXT`))
    .join(""),
  7: column("messages", "reasoning_content TEXT"),
  8: column("sessions", "api_call_count INTEGER DEFAULT 0"),
  9: column("messages", "codex_message_items TEXT"),
  10: `${externalFullText("messages_fts_trigram", TRIGRAM)}
    INSERT INTO messages_fts_trigram(rowid, content) SELECT id, content FROM messages WHERE content IS NOT NULL;`,
};

export const OLD_VERSIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

/** A file of version 1 to 10. The first half of the messages was there before the last step. */
export function makeOldFile(file: string, version: number, history: History): void {
  withFile(file, (db) => {
    for (let step = 1; step < version; step += 1) db.exec(STEPS[step]!);
    if (version === 1) db.exec(STEPS[1]!);
    const half = Math.floor(history.messages.length / 2);
    insertAll(db, "sessions", history.sessions);
    insertAll(db, "messages", history.messages.slice(0, half));
    if (version > 1) db.exec(STEPS[version]!);
    // What the last step added wasn't there when the rows were written: fill it in now.
    for (const row of history.sessions) updateRow(db, "sessions", row);
    insertAll(db, "messages", history.messages.slice(half));
    setVersion(db, version);
  });
}

/** Version 11 as Hermes makes it: every message in both full-text tables. */
export function makeInlineFile(file: string, history: History): void {
  withFile(file, (db) => {
    makeInlineSchema(db);
    insertAll(db, "sessions", history.sessions);
    insertAll(db, "messages", history.messages);
    setVersion(db, 11);
  });
}

/** A file of a future Hermes, with unknown columns, tables and triggers. */
export function makeNewerFile(file: string, version: number, history: History): void {
  withFile(file, (db) => {
    makeInlineSchema(db);
    db.exec(`
      ALTER TABLE sessions ADD COLUMN handoff_state TEXT;
      ALTER TABLE sessions ADD COLUMN mood TEXT DEFAULT 'calm';
      ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1;
      ALTER TABLE messages ADD COLUMN compacted INTEGER DEFAULT 7;
      CREATE TABLE compression_locks (session_id TEXT PRIMARY KEY, holder TEXT NOT NULL,
        acquired_at REAL NOT NULL, expires_at REAL NOT NULL);
      INSERT INTO compression_locks VALUES ('s1', 'pid=1', 1, 2);
      CREATE TABLE touched (message_id INTEGER);
      CREATE TRIGGER touched_insert AFTER INSERT ON messages BEGIN INSERT INTO touched VALUES (new.id); END;`);
    insertAll(db, "sessions", history.sessions);
    insertAll(db, "messages", history.messages);
    db.exec(
      "UPDATE sessions SET handoff_state = 'pending', mood = 'keen' WHERE id = (SELECT min(id) FROM sessions)",
    );
    setVersion(db, version);
  });
}

function makeInlineSchema(db: Connection): void {
  for (let step = 1; step < 10; step += 1) db.exec(STEPS[step]!);
  for (const event of ["insert", "delete", "update"]) db.exec(`DROP TRIGGER messages_fts_${event}`);
  db.exec("DROP TABLE messages_fts; CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)");
  db.exec(inlineFullText("messages_fts") + inlineFullText("messages_fts_trigram", TRIGRAM));
}

function withFile(file: string, work: (db: Connection) => void): void {
  const db = new Database(file);
  try {
    db.pragma("journal_mode = WAL");
    db.transaction(work)(db);
  } finally {
    db.close();
  }
  fs.chmodSync(file, 0o600);
}

function setVersion(db: Connection, version: number): void {
  db.prepare("INSERT INTO schema_version (version) VALUES (?)").run(version);
}

export function columnsOf(db: Connection, table: string): string[] {
  return (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
}

/** Only the columns that the version has. */
function insertAll(db: Connection, table: string, rows: readonly Row[]): void {
  const columns = columnsOf(db, table);
  for (const row of rows) {
    const names = columns.filter((name) => row[name] !== undefined);
    const values = names.map((name) => row[name]);
    db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => "?")})`).run(...values);
  }
}

function updateRow(db: Connection, table: string, row: Row): void {
  const names = columnsOf(db, table).filter((name) => row[name] !== undefined && name !== "id");
  const sets = names.map((name) => `${name} = ?`);
  db.prepare(`UPDATE ${table} SET ${sets} WHERE id = ?`).run(...names.map((name) => row[name]), row.id);
}

export function readRows(file: string, table: string, columns: readonly string[] = ["*"]): Row[] {
  return inspect(file, (db) => db.prepare(`SELECT ${columns} FROM ${table} ORDER BY id`).all() as Row[]);
}

export function readVersion(file: string): number {
  return inspect(file, (db) => db.prepare("SELECT version FROM schema_version").pluck().get() as number);
}

/** Names and texts of all triggers. */
export function readTriggers(file: string): Record<string, string> {
  const rows = inspect(file, (db) =>
    db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name").raw().all(),
  );
  return Object.fromEntries(rows as [string, string][]);
}

/** A look into the file through a connection of its own. */
export function inspect<T>(file: string, look: (db: Connection) => T): T {
  try {
    return inspectWith(file, look, true);
  } catch (error) {
    // A process died while it wrote: the log has to be recovered, which a reader may not do.
    if (!String((error as { code?: unknown }).code).startsWith("SQLITE_READONLY")) throw error;
    return inspectWith(file, look, false);
  }
}

function inspectWith<T>(file: string, look: (db: Connection) => T, readonly: boolean): T {
  const db = new Database(file, { readonly, fileMustExist: true, timeout: 5000 });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** Tool calls, Chinese, structured content, nulls, a lineage. Titles are doubled where nothing forbids it. */
export function sampleHistory({ doubledTitles = false } = {}): History {
  const session = (id: string, more: Row = {}): Row => ({
    id,
    source: "cli",
    user_id: null,
    model: "m-1",
    model_config: '{"temperature": 0.5}',
    system_prompt: null,
    parent_session_id: null,
    started_at: 1_700_000_000.25,
    ended_at: null,
    end_reason: null,
    message_count: 2,
    tool_call_count: 1,
    input_tokens: 9_007_199_254_740_991,
    output_tokens: 5,
    title: null,
    cache_read_tokens: 3,
    reasoning_tokens: 4,
    billing_provider: "openrouter",
    estimated_cost_usd: 0.1,
    actual_cost_usd: null,
    api_call_count: 6,
    ...more,
  });
  const message = (session_id: string, role: string, content: string | null, more: Row = {}): Row => ({
    session_id,
    role,
    content,
    tool_call_id: null,
    tool_calls: null,
    tool_name: null,
    timestamp: 1_700_000_001.5,
    token_count: null,
    finish_reason: null,
    reasoning: null,
    reasoning_content: null,
    reasoning_details: null,
    codex_reasoning_items: null,
    codex_message_items: null,
    ...more,
  });
  const calls = JSON.stringify([
    { id: "c1", function: { name: "web_search", arguments: '{"query":"penguins"}' } },
  ]);
  return {
    sessions: [
      session("s1", { title: "the plan", ended_at: 1_700_000_100, end_reason: "compression" }),
      session("s2", {
        parent_session_id: "s1",
        title: doubledTitles ? "the plan" : "the plan #2",
        started_at: 1_700_000_200,
      }),
      session("s3", {
        source: "telegram",
        user_id: "42",
        title: doubledTitles ? "the plan" : null,
        started_at: 1_700_000_300,
      }),
      session("s4", { source: "telegram", model: null, model_config: null }),
    ],
    messages: [
      message("s1", "user", "please look at the walrus", { id: 1 }),
      message("s1", "assistant", null, {
        id: 2,
        tool_calls: calls,
        finish_reason: "tool_calls",
        reasoning: "hm",
      }),
      message("s1", "tool", '{"data": []}', {
        id: 3,
        tool_call_id: "c1",
        tool_name: "web_search",
        token_count: 12,
      }),
      message("s2", "user", "桂林山水甲天下", { id: 5, reasoning_content: "想" }),
      message("s2", "user", '\0json:[{"type":"text","text":"二维码在这里 pelican"}]', { id: 6 }),
      message("s3", "assistant", "emoji 🎉 and tiếng Việt", {
        id: 7,
        codex_message_items: "[]",
        reasoning_details: "[1]",
      }),
      message("s3", "session_meta", "{}", { id: 8 }),
      message("s3", "user", "", { id: 9, timestamp: 1 }),
      message("s4", "user", "nul \0 inside", { id: 20 }),
    ],
  };
}

const WORDS =
  "walrus penguin deploy docker kernel pasta river stone 桂林山水 漓江 部署 tiếng Việt 🎉 const fn return".split(
    " ",
  );

/** Many messages, the same ones for the same numbers. */
export function largeHistory(sessions: number, messagesEach: number, wordsEach = 40): History {
  const history: History = { sessions: [], messages: [] };
  for (let s = 0; s < sessions; s += 1) {
    history.sessions.push({
      id: `s${s}`,
      source: "cli",
      started_at: 1000 + s,
      ended_at: 2000 + s,
      end_reason: "cli_close",
    });
    for (let m = 0; m < messagesEach; m += 1) {
      const words = Array.from(
        { length: wordsEach },
        (_, i) => `${WORDS[(s * 7 + m * 3 + i) % WORDS.length]}${(m * i) % 97}`,
      );
      const content = `message ${s}-${m} ${words.join(" ")}`;
      history.messages.push({
        session_id: `s${s}`,
        role: m % 2 ? "assistant" : "user",
        content,
        timestamp: 1000 + s + m / 1000,
      });
    }
  }
  return history;
}
