import Database from "better-sqlite3";
import { expect, it } from "vitest";
import type { TurnAttempt } from "../../src/store/queues.js";
import { tempStore } from "../support/temp.js";

const AT = 1_700_000_000;

function attempt(n: number, more: Partial<TurnAttempt> = {}): TurnAttempt {
  return {
    ...{ turnId: `t${n}`, inboxId: n, platform: "telegram", model: "big", outcome: "answered", error: null },
    ...{ receivedAt: AT + n, startedAt: AT + n + 1, endedAt: AT + n + 2 },
    requests: [
      {
        ...{ model: "big", startedAt: AT + n + 1, endedAt: AT + n + 2 },
        ...{ inputTokens: 100, outputTokens: 10, cacheTokens: 0, costUsd: 0.01 },
      },
    ],
    ...more,
  };
}

it("figures of the day: answer times, failures, tokens and cost, by platform and model", async () => {
  const { store } = await tempStore();
  const answered = Array.from({ length: 20 }, (_, i) =>
    attempt(i + 1, { receivedAt: AT, startedAt: AT, endedAt: AT + i + 1 }),
  );
  const failed = attempt(21, { platform: "slack", model: "small", outcome: "failed" });
  const retrying = attempt(22, { platform: "slack", model: null, outcome: "retrying" });
  const beforeTheDay = attempt(23, { endedAt: AT - 1 });
  await store.recordAttempts([...answered, failed, retrying, beforeTheDay]);
  const { turns } = await store.reports.stats(AT);
  expect(turns!.total).toMatchObject({ turns: 21, failed: 1, tokens: 22 * 110 });
  expect(turns!.total.costUsd).toBeCloseTo(0.22);
  expect(turns!.total.answerSeconds).toEqual({ p50: 10, p95: 19 });
  expect(turns!.platforms.map(({ name, turns, failed }) => [name, turns, failed])).toEqual([
    ["telegram", 20, 0],
    ["slack", 1, 1],
  ]);
  expect(turns!.platforms[1]!.answerSeconds).toEqual({ p50: null, p95: null });
  expect(turns!.models.map(({ name }) => name)).toEqual(["big", "small", ""]);
  expect((await store.reports.stats()).turns).toBeUndefined();
});

it("reads the day from an index, however long the history is", async () => {
  const { store, file } = await tempStore();
  await store.recordAttempts([attempt(1)]);
  const db = new Database(file, { readonly: true });
  const plan = (text: string) =>
    (db.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join();
  expect(
    plan(
      "SELECT platform, model, outcome, ended_at - received_at, tokens, cost_usd FROM gw_attempts WHERE ended_at >= 1 ORDER BY ended_at DESC LIMIT 100000",
    ),
  ).toBe("SEARCH gw_attempts USING INDEX gw_attempts_ended (ended_at>?)");
  expect(
    plan(
      "SELECT * FROM gw_attempts WHERE inbox_id = 1 OR inbox_id = (SELECT inbox_id FROM gw_attempts WHERE turn_id = 'x') ORDER BY started_at LIMIT 50",
    ),
  ).not.toContain("SCAN");
  db.close();
});

it("old ones are forgotten with the queues", async () => {
  const { store, file } = await tempStore();
  await store.recordAttempts([attempt(1), attempt(2, { endedAt: Date.now() / 1000 })]);
  await store.pruneQueues(86_400);
  const db = new Database(file, { readonly: true });
  const left = db.prepare("SELECT turn_id FROM gw_attempts").pluck().all();
  db.close();
  expect(left).toEqual(["t2"]);
});
