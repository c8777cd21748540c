import { describe, expect, it } from "vitest";
import { type Page, pollWithCursor } from "../../../src/adapters/kit/polling-loop.js";

/** A feed of numbers: a page has two, the cursor is the last that was read. */
function world(items: number[], { stopAfter }: { stopAfter: number }) {
  const stop = new AbortController();
  const saved = new Map<string, string>();
  const received: number[] = [];
  const cursors: (string | undefined)[] = [];
  const failures: unknown[] = [];
  const options = {
    events: {
      cursor: async (name: string) => saved.get(name),
      saveCursor: async ({ name, value }: { name: string; value: string }) => void saved.set(name, value),
    },
    cursorName: "feed",
    poll: async (cursor: string | undefined): Promise<Page<number>> => {
      cursors.push(cursor);
      if (cursors.length >= stopAfter) stop.abort();
      const rest = items.filter((item) => item > Number(cursor ?? 0));
      const page = rest.slice(0, 2);
      return { items: page, cursor: page.at(-1)?.toString(), hasMore: rest.length > 2 };
    },
    receive: async (item: number) => void received.push(item),
    everyMs: 1,
    backoff: { firstMs: 1, maxMs: 2 },
    signal: stop.signal,
    onFailure: (error: unknown) => void failures.push(error),
  };
  return { stop, saved, received, cursors, failures, options };
}

describe("pollWithCursor", () => {
  it("receives everything in order and saves how far it came", async () => {
    const { options, received, saved } = world([1, 2, 3, 4, 5], { stopAfter: 4 });
    await pollWithCursor(options);
    expect(received).toEqual([1, 2, 3, 4, 5]);
    expect(saved.get("feed")).toBe("5");
  });

  it("begins where the last process ended", async () => {
    const { options, received, saved } = world([1, 2, 3], { stopAfter: 2 });
    saved.set("feed", "2");
    await pollWithCursor(options);
    expect(received).toEqual([3]);
  });

  it("polls the same page again while the inbox fails", async () => {
    const { options, received, cursors, failures, saved } = world([1, 2, 3], { stopAfter: 5 });
    let broken = 2;
    const receive = async (item: number) => {
      if (item === 2 && broken-- > 0) throw new Error("disk full");
      received.push(item);
    };
    await pollWithCursor({ ...options, receive });
    expect(cursors.slice(0, 4)).toEqual([undefined, undefined, undefined, "2"]);
    expect(received).toEqual([1, 1, 1, 2, 3]);
    expect(failures).toHaveLength(2);
    expect(saved.get("feed")).toBe("3");
  });

  it("polls again when the cursor can't be saved, and reads it again when it can't be loaded", async () => {
    const { options, received, cursors } = world([1], { stopAfter: 4 });
    let loads = 0;
    let saves = 0;
    const events = {
      cursor: async (name: string) => {
        if (loads++ === 0) throw new Error("locked");
        return options.events.cursor(name);
      },
      saveCursor: async (cursor: { name: string; value: string }) => {
        if (saves++ === 0) throw new Error("locked");
        return options.events.saveCursor(cursor);
      },
    };
    await pollWithCursor({ ...options, events });
    expect(loads).toBe(2);
    expect(received).toEqual([1, 1]);
    expect(cursors).toEqual([undefined, undefined, "1", "1"]);
  });

  it("pauses when a server promises more and gives nothing", async () => {
    const { options, stop } = world([], { stopAfter: 1000 });
    let polls = 0;
    const poll = async (): Promise<Page<number>> => {
      if (++polls === 3) stop.abort();
      return { items: [], hasMore: true };
    };
    const startMs = performance.now();
    await pollWithCursor({ ...options, poll, everyMs: 30 });
    expect(performance.now() - startMs).toBeGreaterThan(50);
  });

  it("waits as long as onFailure asks, and ends when it throws", async () => {
    const { options } = world([], { stopAfter: 1000 });
    const delays = [40];
    const onFailure = (error: unknown) => {
      const delay = delays.shift();
      if (delay === undefined) throw error;
      return delay;
    };
    const startMs = performance.now();
    const poll = () => Promise.reject(new Error("bad token"));
    await expect(pollWithCursor({ ...options, poll, onFailure })).rejects.toThrow("bad token");
    expect(performance.now() - startMs).toBeGreaterThan(30);
  });

  it("does nothing after an abort", async () => {
    const { options, cursors } = world([1], { stopAfter: 1 });
    await pollWithCursor({ ...options, signal: AbortSignal.abort() });
    expect(cursors).toEqual([]);
  });
});
