import { expect, it } from "vitest";
import { Events } from "../../src/events.js";
import { attemptRecords } from "../../src/pipeline/attempt-records.js";
import type { TurnAttempt } from "../../src/store/queues.js";
import { traceIdOf } from "../../src/trace-id.js";
import { inboundMessage } from "../support/inbound-message.js";
import { tempStore } from "../support/temp.js";
import { until } from "../support/until.js";

async function recorded() {
  const { store } = await tempStore();
  const writes: number[] = [];
  const events = new Events((error) => {
    throw error;
  });
  events.watch(
    "attempts",
    attemptRecords({
      store: {
        recordAttempts: (attempts: readonly TurnAttempt[]) => {
          writes.push(attempts.length);
          return store.recordAttempts(attempts);
        },
      },
      model: "echo",
      onError: (error) => {
        throw error;
      },
    }),
  );
  return { events, writes, turns: async () => (await store.reports.stats(1)).turns!.total.turns };
}

function turn(events: Events, n: number): void {
  const message = inboundMessage({ eventId: String(n) });
  const about = {
    ...{ traceId: traceIdOf(message), traceIds: [], turnId: `t${n}`, sessionKey: "k", sessionId: "s" },
    ...{ platform: "test", message, inboxIds: [n], eventIds: [] },
  };
  events.emit({ type: "turn-started", attempt: 1, waitedSeconds: 0, ...about });
  const end = { outcome: "answered", failure: null, answer: "", startedAt: Date.now() / 1000 } as const;
  events.emit({ type: "turn-ended", model: null, ...end, ...about });
}

it("attempts are stored together after a moment, or when there are many", async () => {
  const { events, writes, turns } = await recorded();
  for (let n = 1; n <= 70; n += 1) turn(events, n);
  expect(writes).toEqual([64]);
  await until("all are stored", async () => (await turns()) === 70);
  expect(writes).toEqual([64, 6]);
});

it("attempts are stored at once while the gateway stops", async () => {
  const { events, writes, turns } = await recorded();
  turn(events, 1);
  events.emit({ type: "gateway-stopping" });
  turn(events, 2);
  expect(writes).toEqual([1, 1]);
  expect(await until("both are stored", async () => (await turns()) === 2)).toBe(true);
});
