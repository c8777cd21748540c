import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { keepSocketOpen, type LiveSocket, type SocketLost } from "../../../src/adapters/kit/socket-loop.js";

class TestSocket implements LiveSocket {
  readonly closed: Promise<unknown>;
  pings = 0;
  closes = 0;
  /** Closes it from the other side. */
  end!: (reason: unknown) => void;
  fail!: (error: unknown) => void;
  onPing: () => void = () => undefined;

  constructor() {
    this.closed = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
  }

  close(): void {
    this.closes++;
    this.end("closed by us");
  }

  ping(): void {
    this.pings++;
    this.onPing();
  }
}

function world() {
  const stop = new AbortController();
  const sockets: TestSocket[] = [];
  const lost: SocketLost[] = [];
  const gaps: (number | undefined)[] = [];
  const options = {
    open: async (_heard: () => void): Promise<LiveSocket> => {
      const socket = new TestSocket();
      sockets.push(socket);
      return socket;
    },
    beforeOpen: async (gapMs: number | undefined) => void gaps.push(gapMs),
    onLost: (event: SocketLost): number | undefined => void lost.push(event),
    signal: stop.signal,
    backoff: { firstMs: 1, maxMs: 2 },
    openTimeoutMs: 1000,
    pingMs: 1000,
    stableMs: 0,
    closeTimeoutMs: 50,
  };
  return { stop, sockets, lost, gaps, options };
}

const opened = async (sockets: TestSocket[], count: number) => {
  while (sockets.length < count) await sleep(1);
  await sleep(1);
  return sockets[count - 1]!;
};

describe("keepSocketOpen", () => {
  it("opens another socket when one closes or breaks", async () => {
    const { options, sockets, lost, gaps, stop } = world();
    const running = keepSocketOpen(options);
    (await opened(sockets, 1)).end(1000);
    (await opened(sockets, 2)).fail(new Error("reset"));
    await opened(sockets, 3);
    stop.abort();
    await running;
    expect(lost).toMatchObject([
      { reason: 1000, wasOpen: true },
      { reason: { message: "reset" }, wasOpen: true },
    ]);
    expect(gaps).toEqual([undefined, expect.any(Number), expect.any(Number)]);
    expect(sockets.every(({ closes }) => closes > 0)).toBe(true);
  });

  it("retries a socket that doesn't open, with a count of the failures", async () => {
    const { options, lost, stop } = world();
    const open = () => {
      if (lost.length === 2) stop.abort();
      return Promise.reject(new Error("no network"));
    };
    await keepSocketOpen({ ...options, open });
    expect(lost).toMatchObject([
      { wasOpen: false, failures: 1 },
      { wasOpen: false, failures: 2 },
    ]);
  });

  it("ends with what onLost throws", async () => {
    const { options } = world();
    const open = () => Promise.reject(new Error("bad token"));
    const onLost = ({ reason }: SocketLost) => {
      throw reason;
    };
    await expect(keepSocketOpen({ ...options, open, onLost })).rejects.toThrow("bad token");
  });

  it("closes a socket that opens after its time", async () => {
    const { options, lost, stop } = world();
    const late = new TestSocket();
    let attempts = 0;
    const open = async (): Promise<LiveSocket> => {
      if (++attempts === 2) stop.abort();
      await sleep(20);
      return late;
    };
    await keepSocketOpen({ ...options, open, openTimeoutMs: 5 });
    await sleep(40);
    expect(lost).toMatchObject([{ wasOpen: false, reason: { name: "TimeoutError" } }]);
    expect(late.closes).toBeGreaterThan(0);
  });

  it("pings a silent socket and replaces it when no answer comes", async () => {
    const { options, sockets, lost, stop } = world();
    const running = keepSocketOpen({ ...options, pingMs: 20 });
    await opened(sockets, 2);
    stop.abort();
    await running;
    expect(sockets[0]).toMatchObject({ pings: 1 });
    expect(lost[0]).toMatchObject({ wasOpen: true, reason: { name: "TimeoutError" } });
  });

  it("keeps a socket that answers pings", async () => {
    const { options, sockets, lost, stop } = world();
    let proofs = 0;
    const open = async (heard: () => void): Promise<LiveSocket> => {
      const socket = new TestSocket();
      socket.onPing = heard;
      sockets.push(socket);
      return socket;
    };
    const running = keepSocketOpen({ ...options, open, pingMs: 20, onAlive: () => void proofs++ });
    while (proofs < 3) await sleep(5);
    stop.abort();
    await running;
    expect(lost).toEqual([]);
    expect(sockets).toHaveLength(1);
  });

  it("pauses when sockets die young", async () => {
    const { options, sockets, stop } = world();
    const open = async (): Promise<LiveSocket> => {
      const socket = new TestSocket();
      sockets.push(socket);
      if (sockets.length === 4) stop.abort();
      socket.end("bye");
      return socket;
    };
    const startMs = performance.now();
    await keepSocketOpen({ ...options, open, stableMs: 10_000, backoff: { firstMs: 20, maxMs: 20 } });
    expect(performance.now() - startMs).toBeGreaterThan(15);
  });

  it("doesn't wait forever for a socket that won't close", async () => {
    const { options, sockets, stop } = world();
    const open = async (): Promise<LiveSocket> => {
      sockets.push(new TestSocket());
      return { closed: new Promise(() => {}), close: () => new Promise<void>(() => {}) };
    };
    const running = keepSocketOpen({ ...options, open });
    await opened(sockets, 1);
    stop.abort();
    await running;
  });
});
