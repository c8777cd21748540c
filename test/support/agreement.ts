import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { localIso } from "../../src/sessions/index-file.js";
import { inspect } from "./old-schemas.js";

/** What a home must look like when its gateway has stopped: the database, `sessions.json`, the transcripts. */

interface StoredRoute {
  session_key: string;
  session_id: string;
  updated_at: number;
  last_prompt_tokens: number;
  flags: string;
}

interface StoredMessage {
  id: number;
  session_id: string;
  role: string;
  content: string | null;
  platform_message_id: string | null;
  active: number;
}

const stateDb = (home: string) => path.join(home, "state.db");

export function rows<T>(home: string, query: string, ...params: unknown[]): T[] {
  return inspect(stateDb(home), (db) => db.prepare(query).all(...params) as T[]);
}

/** Everything was brought to an end: nothing waits, runs, or is on its way. */
export function expectNothingOpen(home: string): void {
  const open = "'waiting', 'running', 'pending', 'sending', 'unknown', 'dead'";
  expect(rows(home, `SELECT id, state, error FROM gw_inbox WHERE state IN (${open})`)).toEqual([]);
  expect(rows(home, `SELECT id, state, error FROM gw_outbox WHERE state IN (${open})`)).toEqual([]);
}

export function expectFilesAgree(home: string): void {
  expectIndexAgrees(home);
  expectTranscriptsAgree(home);
}

/** `sessions.json` says what the routes say. */
export function expectIndexAgrees(home: string): void {
  const routes = rows<StoredRoute>(home, "SELECT * FROM gw_routes ORDER BY created_at, session_key");
  const index = JSON.parse(fs.readFileSync(path.join(home, "sessions", "sessions.json"), "utf8"));
  const expected = routes.map((route) => {
    const flags = JSON.parse(route.flags) as Record<string, unknown>;
    return {
      session_key: route.session_key,
      session_id: route.session_id,
      updated_at: localIso(route.updated_at),
      last_prompt_tokens: route.last_prompt_tokens,
      was_auto_reset: flags.wasAutoReset ?? false,
      is_fresh_reset: flags.isFreshReset ?? false,
      expiry_finalized: flags.expiryFinalized ?? false,
    };
  });
  const found = expected.map(({ session_key }) => {
    const entry = (index[session_key] ?? {}) as Record<string, unknown>;
    return Object.fromEntries(Object.keys(expected[0]!).map((name) => [name, entry[name]]));
  });
  expect(found).toEqual(expected);
  expect(Object.keys(index).toSorted()).toEqual(routes.map((route) => route.session_key).toSorted());
}

/** Every session that has messages has a transcript that says the same. */
export function expectTranscriptsAgree(home: string): void {
  const messages = rows<StoredMessage>(home, "SELECT * FROM messages WHERE active = 1 ORDER BY id");
  for (const id of new Set(messages.map(({ session_id }) => session_id))) {
    const said = messages.filter(({ session_id }) => session_id === id);
    const expected = said.map(({ role, content }) => ({ role, content }));
    expect(transcript(home, id), `transcript of ${id}`).toEqual(expected);
  }
}

function transcript(home: string, id: string): { role: string; content: string | null }[] {
  const file = path.join(home, "sessions", `${id}.jsonl`);
  const lines = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return lines
    .map((line) => JSON.parse(line) as { role: string; content: string | null })
    .filter(({ role }) => role !== "session_meta")
    .map(({ role, content }) => ({ role, content }));
}

/** What a chat's person wrote, as the history has it: over all sessions of the chat, copies of a summary left out. */
export function userMessages(home: string, chatId: string): { id: string; text: string }[] {
  return rows<{ id: string; text: string }>(
    home,
    `SELECT m.platform_message_id AS id, m.content AS text FROM messages m JOIN sessions s ON s.id = m.session_id
     WHERE s.user_id = ? AND m.role = 'user' AND m.platform_message_id IS NOT NULL
     GROUP BY m.platform_message_id ORDER BY min(m.id)`,
    chatId,
  );
}

/** In one session nothing was written down twice. */
export function expectNoMessageTwice(home: string): void {
  const twice = rows(
    home,
    `SELECT session_id, platform_message_id, count(*) AS times FROM messages
     WHERE role = 'user' AND platform_message_id IS NOT NULL
     GROUP BY session_id, platform_message_id HAVING count(*) > 1`,
  );
  expect(twice).toEqual([]);
}

/** Every turn of a finished message has one answer, stored and sent. */
export function expectOneAnswerPerTurn(home: string): void {
  const counts = rows<{ turn_id: string; answers: number }>(
    home,
    `SELECT i.turn_id, (SELECT count(*) FROM gw_outbox o WHERE o.turn_id = i.turn_id AND o.kind = 'answer') AS answers
     FROM gw_inbox i WHERE i.state = 'done' AND i.turn_id IS NOT NULL
     AND i.event_id NOT LIKE 'memory:%' GROUP BY i.turn_id`,
  );
  expect(counts.filter(({ answers }) => answers !== 1)).toEqual([]);
}
