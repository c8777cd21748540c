import path from "node:path";
import { describe, expect, it } from "vitest";
import { describeError } from "../../src/errors.js";
import { Readiness } from "../../src/health/readiness.js";
import { WriteCheck } from "../../src/health/write-check.js";
import { hideHome } from "../../src/hide-home.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";

function readinessOf({ store, gateway, home }: TestGateway) {
  const lines: string[] = [];
  let isReplaced = false;
  const readiness = new Readiness({
    store: { ...store, ...store.maintenance },
    testWrite: () => store.setValue("gw_write_check", "now"),
    isReplaced: () => isReplaced,
    gateway,
    settings: { maxWaitSeconds: 60, platforms: [] },
    describe: (error) => hideHome(describeError(error).message, home),
    log: {
      info: (_, message) => lines.push(message),
      error: (_, message) => lines.push(message),
    },
  });
  const replace = (now: boolean) => {
    isReplaced = now;
  };
  return { readiness, lines, replace };
}

describe("readiness of a gateway", () => {
  it("fails while rows can't be written, even if empty commits succeed, and logs each change once", async () => {
    const test = await TestGateway.start();
    const { readiness, lines } = readinessOf(test);
    expect(await readiness.problems()).toEqual([]);
    const fault = `'The disk is full: ${path.join(test.home, "state.db")} could not grow.'`;
    test.change(`CREATE TRIGGER full BEFORE UPDATE ON state_meta BEGIN SELECT RAISE(ABORT, ${fault}); END`);
    await expect(test.store.setValue("gw_write_check", "later")).rejects.toThrow("disk is full");
    // Nothing is pending, so this commits nothing.
    await test.store.claimDeliveries("boot", 1);

    await readiness.check();
    await readiness.check();
    expect(lines).toEqual(["not ready: store: writes fail: The disk is full: state.db could not grow."]);
    expect(JSON.stringify(await readiness.problems())).not.toContain(test.home);

    test.change("DROP TRIGGER full");
    const again = readinessOf(test).readiness;
    expect(await again.problems()).toEqual([]);
  });

  it("logs its recovery", async () => {
    const { readiness, lines, replace } = readinessOf(await TestGateway.start());
    replace(true);
    await readiness.check();
    replace(false);
    await readiness.check();
    await readiness.check();
    expect(lines).toEqual([expect.stringMatching(/^not ready: store: state\.db was deleted/), "ready again"]);
  });

  it("fails after the database was replaced", async () => {
    const { readiness, lines, replace } = readinessOf(await TestGateway.start());
    replace(true);
    expect(await readiness.problems()).toEqual([
      { check: "store", reason: expect.stringContaining("deleted or replaced") },
    ]);
    expect(lines).toHaveLength(1);
  });

  it("accepts nothing while there is a refusal", async () => {
    const test = await TestGateway.start();
    const ann = inDm("ann");
    test.refusal = "The database was deleted or replaced while the gateway was running.";
    await expect(test.say(ann, "hello")).rejects.toThrow("deleted or replaced");
    expect(test.read("SELECT * FROM gw_inbox")).toEqual([]);
    test.refusal = undefined;
    expect(await test.ask(ann, "hello")).toEqual(["hello"]);
  });
});

describe("the test write", () => {
  function check() {
    const clock = { now: 0 };
    const written: number[] = [];
    const outcome: { error?: Error } = {};
    const writes = new WriteCheck({
      now: () => clock.now,
      write: async () => {
        written.push(clock.now);
        if (outcome.error) throw outcome.error;
      },
    });
    return { clock, written, outcome, writes };
  }

  it("is shared by all callers within a few seconds", async () => {
    const { clock, written, writes } = check();
    await Promise.all(Array.from({ length: 50 }, () => writes.result(0)));
    clock.now = 4999;
    await writes.result(0);
    expect(written).toEqual([0]);
    clock.now = 5000;
    await writes.result(0);
    expect(written).toEqual([0, 5000]);
  });

  it("is repeated immediately after another write failed", async () => {
    const { clock, written, outcome, writes } = check();
    await writes.result(0);
    clock.now = 10;
    outcome.error = new Error("full");
    expect(await writes.result(1)).toEqual({ error: outcome.error });
    // The check counts as a failed write.
    expect(await writes.result(2)).toEqual({ error: outcome.error });
    expect(written).toEqual([0, 10]);
    outcome.error = undefined!;
    clock.now = 6000;
    expect(await writes.result(2)).toBe("ok");
  });
});
