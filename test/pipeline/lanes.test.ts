import { describe, expect, it } from "vitest";
import type { InboundMessage } from "../../src/message.js";
import type { RunningTurn } from "../../src/pipeline/lane.js";
import { type LaneOptions, Lanes } from "../../src/pipeline/lanes.js";
import type { InboxRow, StartedTurn } from "../../src/store/queues.js";
import { until } from "../support/until.js";

const row = (id: number, sessionKey = "a", userId = "ann"): InboxRow => ({
  id,
  traceId: `t${id}`,
  sessionKey,
  message: { text: String(id), origin: { userId } } as InboundMessage,
  state: "waiting",
  attempts: 0,
  receivedAt: 0,
  waitSeconds: 0,
  turnId: null,
  error: null,
});

/** Lanes whose turns end when the test ends them. */
function lanesOf(more: Partial<LaneOptions> = {}) {
  const ran: number[][] = [];
  const open = new Map<string, () => void>();
  const lanes = new Lanes({
    maxConcurrent: 10,
    run: async (key, rows, turn) => {
      ran.push(rows.map(({ id }) => id));
      await new Promise<void>((resolve) => {
        open.set(key, resolve);
        turn.controller.signal.addEventListener("abort", () => resolve());
      });
    },
    settleMs: () => 0,
    refill: async () => undefined,
    onError: (error) => {
      throw error;
    },
    ...more,
  });
  return { lanes, ran, end: (key = "a") => open.get(key)?.() };
}

const has = (ran: number[][], count: number) => until(`${count} turns began`, () => ran.length >= count);

describe("a lane", () => {
  it("runs messages that arrived during a turn after it", async () => {
    const { lanes, ran, end } = lanesOf();
    lanes.push({ row: row(1) });
    lanes.push({ row: row(2) });
    lanes.push({ row: row(3) });
    await has(ran, 1);
    expect(lanes.waiting("a")).toBe(2);
    end();
    await has(ran, 2);
    end();
    await until("all is done", () => lanes.depth.waiting === 0);
    expect(ran).toEqual([[1], [2, 3]]);
  });

  it("keeps the order of the inbox, regardless of the reading order", async () => {
    const { lanes, ran, end } = lanesOf();
    lanes.push({ row: row(1) });
    for (const id of [4, 2, 3]) lanes.push({ row: row(id, "a", `user ${id}`) });
    for (let n = 1; n <= 4; n += 1) {
      await has(ran, n);
      end();
    }
    expect(ran).toEqual([[1], [2], [3], [4]]);
  });

  it("adds no message to a turn that would overtake another of the same person", async () => {
    const { lanes, ran, end } = lanesOf();
    lanes.push({ row: row(1) });
    await has(ran, 1);
    // It has a picture, or waited since before a crash.
    lanes.push({ row: row(2) });
    lanes.steer(row(3));
    expect(lanes.waiting("a")).toBe(2);
    end();
    await has(ran, 2);
    expect(ran).toEqual([[1], [2, 3]]);
    end();
  });

  it("takes up an interrupted turn with all of its messages, also if others wrote between", async () => {
    const { lanes, ran, end } = lanesOf();
    const full = lanes.fill("a");
    lanes.push({ row: { ...row(1), turnId: "earlier" } });
    lanes.push({ row: row(2, "a", "ben") });
    lanes.push({ row: { ...row(3), turnId: "earlier" } });
    full();
    await has(ran, 1);
    end();
    await has(ran, 2);
    expect(ran).toEqual([[1, 3], [2]]);
    end();
  });

  it("continues immediately if the answer arrived before its turn was suspended", async () => {
    let isFirst = true;
    const ran: number[][] = [];
    const lanes: Lanes = lanesOf({
      run: async (key, rows) => {
        ran.push(rows.map(({ id }) => id));
        if (!isFirst) return undefined;
        isFirst = false;
        lanes.resume(key);
        return { rows: rows.map((one) => ({ ...one, turnId: "t" })), waitMs: 1_000_000 };
      },
    }).lanes;
    lanes.push({ row: row(1) });
    await has(ran, 2);
    expect(ran).toEqual([[1], [1]]);
  });

  it("keeps the order for steering messages that the turn didn't use", async () => {
    const { lanes, ran, end } = lanesOf();
    lanes.push({ row: row(1) });
    await has(ran, 1);
    lanes.push({ row: row(2, "a", "bob") });
    lanes.steer(row(3, "a", "cid"));
    for (let n = 1; n <= 3; n += 1) {
      await has(ran, n);
      end();
    }
    expect(ran).toEqual([[1], [2], [3]]);
  });

  it("reports messages that couldn't be read, and continues", async () => {
    const errors: unknown[] = [];
    const { lanes, ran, end } = lanesOf({
      refill: async () => {
        throw new Error("no disk");
      },
      onError: (error) => errors.push(error),
    });
    for (let id = 1; id <= 10_001; id += 1) lanes.push({ row: row(id) });
    for (let n = 1; errors.length === 0; n += 1) {
      await has(ran, n);
      end();
      await until("it ended", () => errors.length > 0 || ran.length > n);
    }
    expect(errors).toEqual([new Error("no disk")]);
    lanes.push({ row: row(10_002) });
    await until("it goes on", () => ran.flat().includes(10_002));
    end();
  });

  it("runs a row once, however often it is read", async () => {
    const { lanes, ran, end } = lanesOf();
    for (let n = 0; n < 3; n += 1) lanes.push({ row: row(1) });
    await has(ran, 1);
    lanes.push({ row: row(1) });
    end();
    await until("all is done", () => lanes.depth.waiting === 0);
    expect(ran).toEqual([[1]]);
  });

  it("rebuilds the same turn from its messages, and starts when all are there", async () => {
    const { lanes, ran, end } = lanesOf();
    const full = [lanes.fill("a"), lanes.fill("a")];
    for (const id of [1, 2]) lanes.push({ row: { ...row(id), turnId: "earlier" } });
    full[0]!();
    full[0]!();
    lanes.push({ row: { ...row(3), turnId: "earlier" } });
    lanes.push({ row: row(4) });
    expect(ran).toEqual([]);
    full[1]!();
    await has(ran, 1);
    end();
    await has(ran, 2);
    end();
    await until("all is done", () => lanes.depth.waiting === 0);
    expect(ran).toEqual([[1, 2, 3], [4]]);
    lanes.fill("b")();
    expect(lanes.hasWork("b")).toBe(false);
  });

  it("starts nothing while a command runs, then continues", async () => {
    const { lanes, ran, end } = lanesOf();
    let done = (): void => undefined;
    const held = lanes.hold("a", () => new Promise<void>((resolve) => (done = resolve)));
    lanes.push({ row: row(1) });
    lanes.push({ row: row(2, "b") });
    await has(ran, 1);
    expect(ran).toEqual([[2]]);
    done();
    await held;
    await has(ran, 2);
    expect(ran).toEqual([[2], [1]]);
    end();
    end("b");
  });

  it("runs immediate commands one after another, even after a failure", async () => {
    const { lanes } = lanesOf();
    const order: number[] = [];
    const failing = lanes.hold("a", async () => {
      order.push(1);
      throw new Error("no");
    });
    const next = lanes.hold("a", async () => void order.push(2));
    await expect(failing).rejects.toThrow("no");
    await next;
    expect(order).toEqual([1, 2]);
    expect(lanes.hasWork("a")).toBe(false);
  });

  it("drops messages before a stop and keeps later ones", async () => {
    const { lanes, ran, end } = lanesOf();
    for (const id of [1, 2, 3, 4]) lanes.push({ row: row(id) });
    await has(ran, 1);
    expect(lanes.abort("a", "stopped", 3)).toBe(true);
    await has(ran, 2);
    expect(ran).toEqual([[1], [3, 4]]);
    end();
  });

  it("gives turns their grace period at shutdown, then aborts them", async () => {
    const reasons: unknown[] = [];
    const { lanes, ran } = lanesOf({
      run: async (_, rows, { controller }) => {
        ran.push(rows.map(({ id }) => id));
        await new Promise<void>((resolve) => {
          controller.signal.addEventListener("abort", () => {
            reasons.push(controller.signal.reason);
            resolve();
          });
        });
      },
    });
    lanes.push({ row: row(1) });
    lanes.push({ row: row(2) });
    await has(ran, 1);
    await lanes.close(20);
    expect(reasons).toEqual(["shutdown"]);
    lanes.push({ row: row(3) });
    expect(ran).toEqual([[1]]);
  });
});

it("an old timer doesn't affect a later turn", async () => {
  const settle: Record<number, number> = { 1: 100 };
  const { lanes, ran, end } = lanesOf({ settleMs: ({ id }) => settle[id] ?? 0 });
  lanes.push({ row: row(1) });
  await lanes.hold("a", async () => void lanes.abort("a", "stopped", 2));
  lanes.push({ row: row(2) });
  await has(ran, 1);
  // Past the first one's timer.
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(lanes.isRunning("a")).toBe(true);
  lanes.push({ row: row(3) });
  end();
  await has(ran, 2);
  expect(ran).toEqual([[2], [3]]);
  end();
  await until("nothing is kept", () => !lanes.hasWork("a"));
});

describe("a reserved lane", () => {
  const early = { started: {} as StartedTurn };

  it("runs its message immediately, and later messages after it", async () => {
    const { lanes, ran, end } = lanesOf();
    const reserved = lanes.reserve("a")!;
    lanes.push({ row: row(2) });
    expect(lanes.reserve("a")).toBeUndefined();
    expect([lanes.isRunning("a"), lanes.isReserved("a"), ran]).toEqual([false, true, []]);
    reserved.start(row(1), early);
    expect([lanes.isRunning("a"), lanes.isReserved("a"), lanes.has({ id: 1 })]).toEqual([true, false, true]);
    end();
    await has(ran, 2);
    end();
    await until("all is done", () => lanes.depth.waiting === 0);
    expect(ran).toEqual([[1], [2]]);
  });

  it("frees its slot when it is released", async () => {
    const { lanes, ran, end } = lanesOf();
    const reserved = lanes.reserve("a")!;
    lanes.push({ row: row(2) });
    reserved.release();
    await has(ran, 1);
    end();
    await until("it is free again", () => lanes.depth.running === 0);
    expect(ran).toEqual([[2]]);
    expect(lanes.hasWork("a")).toBe(false);
  });

  it("isn't available while something waits, runs or holds it", async () => {
    const { lanes, ran, end } = lanesOf();
    lanes.push({ row: row(1) });
    expect(lanes.reserve("a")).toBeUndefined();
    await has(ran, 1);
    end();
    await until("it is free again", () => lanes.depth.running === 0);
    const filled = lanes.fill("a");
    expect(lanes.reserve("a")).toBeUndefined();
    filled();
    let release = () => {};
    const held = lanes.hold(
      "a",
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    await until("it is held", () => lanes.hasWork("a"));
    expect(lanes.reserve("a")).toBeUndefined();
    await until("the command runs", () => {
      release();
      return !lanes.hasWork("a");
    });
    await held;
    expect(lanes.reserve("a")).toBeDefined();
  });

  it("is available as soon as the end of the running turn is stored", async () => {
    const running: RunningTurn[] = [];
    const ran: number[] = [];
    let end = () => {};
    const { lanes } = lanesOf({
      run: async (_, rows, turn) => {
        ran.push(rows[0]!.id);
        running.push(turn);
        if (rows[0]!.id === 1)
          await new Promise<void>((resolve) => {
            end = resolve;
          });
      },
    });
    lanes.push({ row: row(1) });
    await until("it runs", () => running.length === 1);
    expect(lanes.reserve("a")).toBeUndefined();
    running[0]!.isOver = true;
    const reserved = lanes.reserve("a")!;
    reserved.start(row(2), early);
    expect(ran).toEqual([1]);
    end();
    await until("both ran", () => lanes.depth.running === 0);
    expect(ran).toEqual([1, 2]);
    expect(running[1]!.early).toBe(early);
  });

  it("occupies a slot", async () => {
    const { lanes, ran } = lanesOf({ maxConcurrent: 1 });
    const reserved = lanes.reserve("a")!;
    lanes.push({ row: row(2, "b") });
    expect(lanes.reserve("c")).toBeUndefined();
    expect(ran).toEqual([]);
    reserved.release();
    await has(ran, 1);
    expect(ran).toEqual([[2]]);
  });

  it("may still run while the gateway stops: its turn has started", async () => {
    const { lanes, ran } = lanesOf();
    const reserved = lanes.reserve("a")!;
    const closed = lanes.close(20);
    expect(lanes.reserve("b")).toBeUndefined();
    reserved.start(row(1), early);
    await closed;
    expect(ran).toEqual([[1]]);
  });
});
