import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nowSeconds } from "../../src/clock.js";
import { SendError } from "../../src/errors.js";
import { Readiness } from "../../src/health/readiness.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const HOURS = 2 * 3600;

/** `Date` of this thread is ahead until the returned function is called. */
function clockAhead(seconds: number): () => void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });
  onTestFinished(() => void vi.useRealTimers());
  return () => void vi.useRealTimers();
}

describe("a clock that is set back", () => {
  it("silences no chat", async () => {
    const setBack = clockAhead(HOURS);
    const gateway = await TestGateway.start({ threads: true });
    expect(await gateway.ask(ann, "one")).toEqual(["one"]);
    setBack();
    expect(await gateway.ask(ann, "two")).toEqual(["two"]);
  });

  it("doesn't extend a penalty", async () => {
    const setBack = clockAhead(HOURS);
    const gateway = await TestGateway.start({ threads: true });
    let limited = true;
    gateway.adapter.beforeSend = () => {
      if (limited) throw new SendError("never_sent", "slow down", { retryAfterMs: 300 });
    };
    await gateway.say(ann, "one");
    // Only once both the penalty and the row's wait are stored: they are read with the clock set back.
    const pending = () => gateway.read("SELECT 1 FROM gw_outbox WHERE state = 'pending' AND attempts > 0");
    await until("it was limited", () => gateway.gateway.openPenalties.length > 0 && pending().length > 0);
    setBack();
    limited = false;
    await gateway.sentTo(ann, 1);
  });

  it("leaves no answer unsent after a start", async () => {
    const before = await TestGateway.start({ threads: true });
    before.adapter.beforeSend = () => {
      throw new SendError("never_sent", "offline", { retryAfterMs: 600_000 });
    };
    await before.say(ann, "one");
    const pending = () => before.read("SELECT 1 FROM gw_outbox WHERE state = 'pending' AND attempts > 0");
    await until("it waits", () => pending().length > 0);
    await before.stop();
    // Rows of a process whose clock is two hours ahead.
    const setAt = nowSeconds() + HOURS;
    before.change("UPDATE gw_outbox SET wait_set_at = ?, not_before = ?", setAt, setAt + 0.2);
    before.change("UPDATE gw_penalties SET set_at = ?, until = ?", setAt, setAt + 0.2);
    const after = await TestGateway.start({ home: before.home, threads: true });
    await after.sentTo(ann, 1);
  });
});

describe("readiness", () => {
  it("reports rows from the future that aren't processed", async () => {
    const gateway = await TestGateway.start({ threads: true });
    await gateway.ask(ann, "one");
    await gateway.gateway.stop();
    const future = nowSeconds() + HOURS;
    gateway.change("UPDATE gw_inbox SET state = 'waiting', received_at = ?", future);
    gateway.change("UPDATE gw_outbox SET state = 'pending', created_at = ?", future);
    let clock = 0;
    const readiness = new Readiness(
      {
        store: { ...gateway.store, ...gateway.store.maintenance },
        gateway: { health: () => [], isStarted: true, isStopping: false },
        settings: { maxWaitSeconds: 60, platforms: [] },
        testWrite: async () => undefined,
        isReplaced: () => false,
        describe: String,
        log: gateway.parts.log,
      },
      () => clock,
    );
    const checks = async () => (await readiness.problems()).map(({ check }) => check);
    expect(await checks()).toEqual([]);
    clock = 61;
    expect(await checks()).toEqual(["inbox", "outbox"]);
    gateway.change("UPDATE gw_inbox SET state = 'done'");
    gateway.change("UPDATE gw_outbox SET not_before = ?, wait_set_at = ?", future + 1, future);
    clock = 62;
    expect(await checks()).toEqual([]);
    clock = 100;
    expect(await checks()).toEqual(["outbox"]);
  });
});
