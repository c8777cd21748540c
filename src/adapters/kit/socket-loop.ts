/** Keeps a socket open: reopens it when it closes, fails to open or goes silent. */
import { setImmediate } from "node:timers/promises";
import { type BackoffLimits, backoffMs, pause } from "../../backoff.js";
import { settlesWithin, withTimeout } from "../../timeout.js";

export interface LiveSocket {
  /** Settles when either side has closed the socket. */
  closed: Promise<unknown>;
  /** Must be safe to call more than once. */
  close(): void | Promise<void>;
  /** Pings the other side, once per `pingMs` of silence. */
  ping?(): void;
}

export interface SocketLoopOptions {
  /** Resolves when events can arrive (after greeting and login). Call `heard` for every frame. */
  open(heard: () => void, signal: AbortSignal): Promise<LiveSocket>;
  /** Called before each attempt. `gapMs`: time without a socket, undefined before the first. */
  beforeOpen?(gapMs: number | undefined): Promise<void>;
  onOpen?(): void;
  /** A proof of life. */
  onAlive?(): void;
  /**
   * The socket closed or could not be opened; another attempt follows. May return a delay in ms in place of
   * the backoff's. Throwing ends the loop.
   */
  onLost(lost: SocketLost): number | undefined;
  signal: AbortSignal;
  backoff: BackoffLimits;
  /** Timeout of `open`. */
  openTimeoutMs: number;
  /** Silence before a ping; the socket is replaced if the ping isn't answered in the same time. */
  pingMs: number;
  /** A socket that was open this long counts as good: it is reopened immediately. */
  stableMs: number;
  /** How long to wait for a socket to close. */
  closeTimeoutMs: number;
}

export interface SocketLost {
  /** Why it could not be opened, or the result of `closed`. */
  reason: unknown;
  wasOpen: boolean;
  /** Consecutive failures, including this one. */
  failures: number;
}

/** Runs until the signal aborts. Rejects only if `onLost` throws. */
export async function keepSocketOpen(options: SocketLoopOptions): Promise<void> {
  const { signal, stableMs } = options;
  let failures = 0;
  let lostAtMs: number | undefined;
  while (!signal.aborted) {
    const { reason, livedMs } = await oneSocket(options, lostAtMs);
    if (signal.aborted) return;
    const wasOpen = livedMs !== undefined;
    if (wasOpen || lostAtMs === undefined) lostAtMs = performance.now();
    failures = wasOpen && livedMs >= stableMs ? 0 : failures + 1;
    const delayMs = options.onLost({ reason, wasOpen, failures });
    // The first reconnect after a good connection is immediate.
    const pauseless = failures === 0 || (wasOpen && failures === 1);
    await pause(delayMs ?? (pauseless ? 0 : backoffMs(failures - 1, options.backoff)), signal);
  }
}

/** From the attempt to open a socket to its end. Never rejects. */
async function oneSocket(
  options: SocketLoopOptions,
  lostAtMs: number | undefined,
): Promise<{ reason: unknown; livedMs?: number }> {
  let openedAtMs: number | undefined;
  try {
    await options.beforeOpen?.(lostAtMs === undefined ? undefined : performance.now() - lostAtMs);
    if (options.signal.aborted) return { reason: options.signal.reason };
    const life = new Life(options);
    const socket = await openSocket(options, life);
    openedAtMs = performance.now();
    try {
      options.onOpen?.();
      return { reason: await life.end(socket), livedMs: performance.now() - openedAtMs };
    } finally {
      await close(socket, options);
    }
  } catch (reason) {
    return openedAtMs === undefined ? { reason } : { reason, livedMs: performance.now() - openedAtMs };
  }
}

/** A socket that opens after the timeout is closed again. */
async function openSocket(options: SocketLoopOptions, life: Life): Promise<LiveSocket> {
  const { openTimeoutMs, signal } = options;
  const attempt = new AbortController();
  // Aborted below when `signal` aborts, too.
  const opening = options.open(() => life.heard(), attempt.signal);
  try {
    return await withTimeout(opening, openTimeoutMs, { message: "The socket didn't open in time", signal });
  } catch (error) {
    attempt.abort(error);
    opening.then(
      (socket) => close(socket, options),
      () => undefined,
    );
    throw error;
  }
}

async function close(socket: LiveSocket, { closeTimeoutMs }: SocketLoopOptions): Promise<void> {
  socket.closed.catch(() => undefined);
  await settlesWithin(
    Promise.resolve().then(() => socket.close()),
    closeTimeoutMs,
  );
}

/** Watches one socket: its last sign of life and how it ended. */
class Life {
  readonly #options: SocketLoopOptions;
  #heardAtMs = performance.now();

  constructor(options: SocketLoopOptions) {
    this.#options = options;
  }

  heard(): void {
    this.#heardAtMs = performance.now();
    this.#options.onAlive?.();
  }

  /** The result of `closed`, why the socket was given up, or the abort. Rejects if `closed` does. */
  async end(socket: LiveSocket): Promise<unknown> {
    const { pingMs, signal } = this.#options;
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    this.#heardAtMs = performance.now();
    try {
      return await Promise.race([socket.closed, this.#silence(socket, pingMs, over.signal)]);
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  }

  /** Resolves when a ping wasn't answered in time, or with the signal. */
  async #silence(socket: LiveSocket, pingMs: number, over: AbortSignal): Promise<unknown> {
    while (!over.aborted) {
      const heardAtMs = this.#heardAtMs;
      const silentMs = performance.now() - heardAtMs;
      if (silentMs >= pingMs) socket.ping?.();
      await pause(silentMs >= pingMs ? pingMs : pingMs - silentMs, over);
      // If the event loop was busy, read frames that have already arrived first.
      await setImmediate();
      if (silentMs >= pingMs && this.#heardAtMs === heardAtMs)
        return new DOMException("No sign of life", "TimeoutError");
    }
    return over.reason;
  }
}
