import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { QueueFullError, SerialQueue } from "../src/serial-queue.js";

describe("SerialQueue", () => {
  it("keeps the order within a key", async () => {
    const queue = new SerialQueue();
    const done: number[] = [];
    const jobs = [30, 10, 0].map((ms, i) =>
      queue.add("a", async () => {
        await sleep(ms);
        done.push(i);
      }),
    );
    await Promise.all(jobs);
    expect(done).toEqual([0, 1, 2]);
  });

  it("runs keys in parallel", async () => {
    const queue = new SerialQueue();
    let open!: () => void;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const blocked = queue.add("a", () => gate);
    expect(await queue.add("b", () => 5)).toBe(5);
    open();
    await blocked;
  });

  it("continues after a failure, even a synchronous one", async () => {
    const queue = new SerialQueue();
    const failed = queue.add("a", () => Promise.reject(new Error("one")));
    const threw = queue.add("a", () => {
      throw new Error("two");
    });
    const fine = queue.add("a", async () => "three");
    await expect(failed).rejects.toThrow("one");
    await expect(threw).rejects.toThrow("two");
    expect(await fine).toBe("three");
    expect(queue.pending).toBe(0);
  });

  it("rejects work above its limit, and accepts work again later", async () => {
    const queue = new SerialQueue(2);
    const jobs = [queue.add("a", () => sleep(5)), queue.add("b", () => sleep(5))];
    await expect(queue.add("c", async () => 1)).rejects.toBeInstanceOf(QueueFullError);
    await Promise.all(jobs);
    expect(await queue.add("c", async () => 1)).toBe(1);
  });

  it("is idle when all work is done, including work added meanwhile", async () => {
    const queue = new SerialQueue();
    const done: string[] = [];
    void queue.add("a", async () => {
      await sleep(5);
      void queue.add("b", async () => {
        await sleep(5);
        done.push("b");
      });
    });
    await queue.idle();
    expect(done).toEqual(["b"]);
    await new SerialQueue().idle();
  });

  it("stays idle after a failure", async () => {
    const queue = new SerialQueue();
    queue.add("a", () => Promise.reject(new Error("no"))).catch(() => undefined);
    await queue.idle();
    expect(queue.pending).toBe(0);
  });
});
