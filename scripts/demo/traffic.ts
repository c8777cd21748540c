import type BetterSqlite3 from "better-sqlite3";
import type { Random } from "../../bench/random.js";
import type { InboundMessage, Target } from "../../src/message.js";
import { targetOf } from "../../src/message.js";
import { Database } from "../../src/store/sqlite/driver.js";
import type { ExportedSession } from "../../src/store/store.js";
import { PEOPLE, REMARKS } from "./conversations.js";

/**
 * Fills the queues: an hour of messages with their answers, refusals and dead letters. Writes directly to the tables,
 * because the store's verbs always use the current time.
 */
export function addTraffic(
  file: string,
  {
    random,
    now,
    traffic,
    sessions,
  }: { random: Random; now: number; traffic: number; sessions: readonly ExportedSession[] },
): void {
  const db = new Database(file);
  try {
    db.transaction(() => {
      addDead(db, now);
      const times = Array.from({ length: traffic }, () => now - minutesAgo(random) * 60);
      for (const at of times.sort((a, b) => a - b)) addMessage(db, random, at, sessions);
      addRefused(db, now - 10);
      addPairing(db, now);
      addToolCalls(db, now);
    })();
  } finally {
    db.close();
  }
}

/** More in recent minutes, in waves, none in the current minute. */
function minutesAgo(random: Random): number {
  for (;;) {
    const minutes = 0.2 + 59.5 * random.next();
    const busy = 0.55 + 0.3 * Math.sin(minutes / 6) + 0.15 * Math.cos(minutes / 2.3) - minutes / 240;
    if (random.chance(Math.max(0.05, busy))) return minutes;
  }
}

const PLATFORMS = ["telegram", "telegram", "slack", "slack", "discord", "web"] as const;

function messageFrom(
  platform: string,
  person: { id: string; name: string },
  text: string,
  at: number,
): InboundMessage {
  const id = String(Math.round(at * 1000) % 1_000_000);
  return {
    platform,
    account: "demo",
    eventId: `demo-${platform}-${at}`,
    origin: {
      platform,
      chatType: "dm",
      chatId: `chat-${person.id}`,
      chatName: person.name,
      userId: person.id,
      userName: person.name,
      messageId: id,
    },
    text,
    attachments: [],
    sentAt: at - 0.3,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
  };
}

function addMessage(
  db: BetterSqlite3.Database,
  random: Random,
  at: number,
  sessions: readonly ExportedSession[],
): void {
  const platform = random.pick(PLATFORMS);
  const person = random.pick(PEOPLE[platform]!);
  const [asked, answer] = random.pick(REMARKS);
  const message = messageFrom(platform, person, asked, at);
  const turn = `turn-${random.hex(8)}`;
  const thinks = 0.8 + 5 * random.next() ** 2;
  const session = sessions.find(({ source, user_id }) => source === platform && user_id === person.id);
  const id = insertInbox(db, message, {
    state: "done",
    received_at: at,
    started_at: at + 0.02,
    finished_at: at + thinks,
    turn_id: turn,
    session_id: session?.id ?? null,
  });
  insertOutbox(db, targetOf(message), {
    text: answer,
    inbox_id: id,
    turn_id: turn,
    state: "sent",
    created_at: at + thinks,
    sent_at: at + thinks + 0.1 + 0.4 * random.next(),
    message_ids: JSON.stringify([String(id + 40_000)]),
  });
  addAttempt(db, { random, id, turn, platform, from: at, to: at + thinks });
}

interface Attempt {
  random: Random;
  id: number;
  turn: string;
  platform: string;
  from: number;
  to: number;
}

function addAttempt(db: BetterSqlite3.Database, { random, id, turn, platform, from, to }: Attempt): void {
  const model = random.pick(["claude-sonnet-4-6", "claude-sonnet-4-6", "gpt-5.1-mini", "llama3.3"]);
  const inputTokens = random.between(800, 6000);
  const outputTokens = random.between(30, 400);
  const costUsd = model === "llama3.3" ? 0 : (inputTokens + 5 * outputTokens) * 3e-6;
  const isFailed = random.chance(0.03);
  const request = { model, startedAt: from + 0.02, endedAt: to, inputTokens, outputTokens, costUsd };
  insert(db, "gw_attempts", {
    ...{ turn_id: turn, inbox_id: id, platform, model, received_at: from, started_at: from + 0.02 },
    ...{ ended_at: to, tokens: inputTokens + outputTokens, cost_usd: costUsd },
    outcome: isFailed ? "failed" : "answered",
    error: isFailed ? "529: the provider is overloaded" : null,
    requests: JSON.stringify([{ ...request, cacheTokens: Math.round(inputTokens / 2) }]),
  });
}

function addRefused(db: BetterSqlite3.Database, at: number): void {
  const stranger = { id: "555000111", name: "Crypto Deals" };
  insertInbox(db, messageFrom("telegram", stranger, "Hello friend, want to get rich?", at), {
    state: "refused",
    reason: "pairing: code sent",
    received_at: at,
    finished_at: at + 0.01,
  });
}

function addDead(db: BetterSqlite3.Database, now: number): void {
  const [ann, tomas] = [PEOPLE.telegram![0]!, PEOPLE.telegram![1]!];
  const sam = PEOPLE.slack![2]!;
  insertInbox(
    db,
    messageFrom("telegram", ann, "Compare the two contracts and list what differs, please", now - 5200),
    {
      state: "dead",
      error: "the model gave no answer in time (3 attempts)",
      attempts: 3,
      received_at: now - 5200,
      finished_at: now - 4900,
    },
  );
  insertOutbox(db, targetOf(messageFrom("telegram", tomas, "", now - 9000)), {
    text: "Your parcel is at the neighbour's, number 14.",
    state: "dead",
    error: "403: Forbidden: bot was blocked by the user",
    attempts: 1,
    created_at: now - 9000,
  });
  insertOutbox(db, targetOf(messageFrom("slack", sam, "", now - 2400)), {
    text: "The export is ready: 1,204 rows, three of them without a date.",
    state: "unknown",
    error: "the connection broke while it was being sent",
    attempts: 1,
    created_at: now - 2400,
  });
}

function addPairing(db: BetterSqlite3.Database, now: number): void {
  const insert = db.prepare(
    "INSERT INTO gw_pairing (id, platform, user_id, user_name, hash, salt, created_at, approved_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const asks = (id: string, platform: string, user: string, name: string, agoMinutes: number) =>
    insert.run(id, platform, user, name, "00", "00", now - agoMinutes * 60, null);
  asks("ask-nora", "telegram", "640022117", "Nora Lindqvist", 6);
  asks("ask-ravi", "discord", "281474976710656044", "ravi_k", 31);
  for (const [platform, people] of Object.entries(PEOPLE)) {
    if (!["telegram", "discord", "slack"].includes(platform)) continue;
    for (const [i, { id, name }] of people.entries())
      insert.run(
        `in-${platform}-${id}`,
        platform,
        id,
        name,
        null,
        null,
        now - 40 * 86_400,
        now - (39 - i * 3) * 86_400,
      );
  }
}

function addToolCalls(db: BetterSqlite3.Database, now: number): void {
  const [ann, sam] = [PEOPLE.telegram![0]!, PEOPLE.slack![2]!];
  const add = (platform: string, person: typeof ann, minutes: number, row: Record<string, unknown>) => {
    const at = now - minutes * 60;
    const key = `agent:main:${platform}:dm:${person.id}`;
    insert(db, "gw_tool_calls", {
      ...{
        id: `demo.${minutes}`,
        call_id: `call_${minutes}`,
        turn_id: "demo",
        session_key: key,
        session_id: "demo",
      },
      ...{ platform, user_id: person.id, user_name: person.name, chat_id: person.id },
      ...{ created_at: at, started_at: at, ended_at: at + 1.4, state: "done", ...row },
    });
  };
  add("telegram", ann, 190, {
    tool: "web_search",
    arguments: '{"query":"train to Lisbon"}',
    result: "3 pages",
  });
  add("slack", sam, 55, {
    ...{ tool: "send_message", arguments: '{"target":"slack:C1","message":"The export is ready"}' },
    ...{ result: "Sent.", decided_by: `slack:${sam.id}` },
  });
  add("telegram", ann, 12, {
    ...{ tool: "web_extract", arguments: '{"urls":["https://example.com/timetable"]}' },
    ...{ state: "failed", result: "Error: the page gave no answer within 20 s" },
  });
}

function insertInbox(
  db: BetterSqlite3.Database,
  message: InboundMessage,
  row: Record<string, unknown>,
): number {
  return insert(db, "gw_inbox", {
    platform: message.platform,
    account: message.account,
    event_id: message.eventId,
    session_key: `agent:main:${message.platform}:dm:${message.origin.chatId}`,
    chat_id: message.origin.chatId,
    payload: JSON.stringify(message),
    attempts: 1,
    ...row,
  });
}

let nonces = 0;

function insertOutbox(db: BetterSqlite3.Database, target: Target, row: Record<string, unknown>): number {
  return insert(db, "gw_outbox", {
    nonce: `demo-${nonces++}`,
    kind: "answer",
    platform: target.platform,
    account: target.account,
    chat_id: target.chatId,
    target: JSON.stringify(target),
    attempts: 1,
    ...row,
  });
}

function insert(db: BetterSqlite3.Database, table: string, row: Record<string, unknown>): number {
  const columns = Object.keys(row);
  const text = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  return Number(db.prepare(text).run(...Object.values(row)).lastInsertRowid);
}
