import { expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

it("a trace has every attempt with its model requests and calls of tools", async () => {
  const test = await TestGateway.start({ config: { owners: ["test:ann"] } });
  await test.adapter.say(inDm("ann"), '!tool todo {"todos":[]}');
  await until("it is answered", () => test.adapter.sent.length > 0);
  const look = async () => (await test.store.reports.traceMessage("in:1"))[0]!;
  const { attempts } = await until("it is recorded", async () => {
    const trace = await look();
    return trace.attempts.length > 0 && trace;
  });
  expect(attempts).toMatchObject([{ outcome: "answered", platform: "test", error: null, inboxId: 1 }]);
  const [{ calls, requests, receivedAt, startedAt, endedAt } = attempts[0]!] = attempts;
  expect(calls).toMatchObject([{ tool: "todo", state: "done" }]);
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.every((one) => one.startedAt >= startedAt && one.endedAt <= endedAt)).toBe(true);
  expect(receivedAt).toBeLessThanOrEqual(startedAt);
  const { turns } = await test.store.reports.stats(receivedAt - 1);
  expect(turns!.total).toMatchObject({ turns: 1, failed: 0 });
  expect(turns!.platforms[0]!.name).toBe("test");
});

it("failures are attempts, too, with their reason", async () => {
  const test = await TestGateway.start();
  await test.adapter.say(inDm("ann"), "!fail network");
  await until("the chat is told", () => test.adapter.sent.length > 0);
  const { attempts } = await until("it is recorded", async () => {
    const [trace] = await test.store.reports.traceMessage("in:1");
    return trace!.attempts.at(-1)?.outcome === "failed" && trace;
  });
  expect(attempts.at(-1)!.error).toBeTruthy();
  expect((await test.store.reports.stats(0)).turns!.total.failed).toBe(1);
});
