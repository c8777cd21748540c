import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { nowSeconds } from "../../../src/clock.js";
import { type OpenedStore, openStore } from "../../../src/store/sqlite/index.js";
import { temporaryFolder } from "./run.js";

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Ids of what `someHistory` makes. */
export const AUTH = "20250305_091523_a1b2c3d4";
export const PROJECT = "20250304_143022_e5f6a7b8";
export const WEATHER = "20250303_101500_f9a0b1c2";
export const TOOL = "20250302_101500_00000000";

export async function storeIn<T>(home: string, work: (store: OpenedStore) => Promise<T>): Promise<T> {
  const store = await openStore({ path: join(home, "state.db"), foreign: "adopt", threads: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** A home with three conversations that people would list, and one of a tool; gone after the test. */
export async function someHistory(): Promise<string> {
  const home = temporaryFolder();
  await addHistory(home);
  return home;
}

/** The same, once for all tests of a file that only read. */
export function sharedHistory(): () => string {
  const home = mkdtempSync(join(tmpdir(), "hermes-cli-"));
  beforeAll(() => addHistory(home));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  return () => home;
}

async function addHistory(home: string): Promise<void> {
  await storeIn(home, async (store) => {
    await addAuth(store);
    await addProject(store);
    await addWeather(store);
    await store.createSession({ id: TOOL, source: "tool", started_at: nowSeconds() - 5 * DAY });
  });
}

async function addAuth(store: OpenedStore): Promise<void> {
  const at = nowSeconds() - 2.5 * HOUR;
  await store.createSession({
    id: AUTH,
    source: "cli",
    title: "refactoring auth",
    model: "claude-x",
    started_at: at,
  });
  const calls = [
    { id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } },
  ];
  await store.appendMessages(AUTH, [
    { role: "user", content: "Help me refactor the auth module please", timestamp: at },
    { role: "assistant", content: "Looking.", tool_calls: calls, timestamp: at + 1 },
    { role: "tool", content: "auth.py", tool_call_id: "c1", tool_name: "terminal", timestamp: at + 2 },
    { role: "assistant", content: "It's one file: auth.py 🔐", timestamp: at + 3 },
  ]);
  await store.addUsage(AUTH, {
    input_tokens: 1200,
    output_tokens: 34,
    estimated_cost_usd: 0.25,
    api_call_count: 2,
  });
}

/** Split once: the conversation goes on in "my project #2". */
async function addProject(store: OpenedStore): Promise<void> {
  const at = nowSeconds() - 1.2 * DAY;
  await store.createSession({ id: PROJECT, source: "discord", title: "my project", started_at: at });
  await store.appendMessages(PROJECT, [
    { role: "user", content: "Can you check the test failures?", timestamp: at },
  ]);
  await store.splitSession({
    parentId: PROJECT,
    childId: "20250304_150000_cccccccc",
    messages: [{ role: "user", content: "Go on with the failures", timestamp: at + 60 }],
  });
}

async function addWeather(store: OpenedStore): Promise<void> {
  const at = nowSeconds() - 3.5 * DAY;
  await store.createSession({ id: WEATHER, source: "telegram", user_id: "42", started_at: at });
  await store.appendMessages(WEATHER, [
    { role: "user", content: "What's the weather in 東京タワー?", timestamp: at },
    { role: "assistant", content: "Rain.", timestamp: at + 5 },
  ]);
}
