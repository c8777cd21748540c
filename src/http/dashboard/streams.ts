/** A limited number of event streams. A stream is closed when its page stops reading. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { fault } from "../faults.js";
import { isStillLoggedIn } from "../token.js";

/** A page that reads nothing for this long is disconnected. */
const WRITE_MS = 20_000;
const RETRY_MS = 2000;

export interface EventStream {
  /** Aborted when the page disconnects or is signed out, or the gateway stops. */
  readonly ended: AbortSignal;
  /** Resolves when the page is ready for more. */
  send(event: string, data: string): Promise<void>;
}

export interface StreamOptions {
  max: number;
  log: { warn(fields: object, message: string): void };
}

export class EventStreams {
  readonly #options: StreamOptions;
  readonly #ends = new Set<() => void>();
  #count = 0;
  #isClosed = false;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  serve(c: Context, feed: (stream: EventStream) => Promise<void>): Response {
    if (this.#isClosed || this.#count >= this.#options.max) {
      c.header("Retry-After", "10");
      return fault(c, 503, "unavailable", "Too many dashboard pages are open, or the gateway is stopping");
    }
    // The response to HEAD has no body, so nothing would read the events.
    if (c.req.method === "HEAD") return c.body(null);
    this.#count += 1;
    // Keeps proxies from buffering the stream.
    c.header("X-Accel-Buffering", "no");
    const fed = async (raw: SSEStreamingApi) => {
      const ended = new AbortController();
      const end = () => ended.abort();
      this.#ends.add(end);
      raw.onAbort(end);
      try {
        await feed(this.#streamOf(c, raw, ended));
      } finally {
        this.#ends.delete(end);
        this.#count -= 1;
      }
    };
    // The page reconnects after an error.
    return streamSSE(c, fed, async (error) =>
      this.#options.log.warn({ err: error }, "the dashboard's events ended"),
    );
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }

  #streamOf(c: Context, raw: SSEStreamingApi, ended: AbortController): EventStream {
    return {
      ended: ended.signal,
      send: async (event, data) => {
        // The device may have been signed out since the stream began.
        if (!(await isStillLoggedIn(c))) return ended.abort();
        const timeout = setTimeout(() => (c.env as HttpBindings).outgoing.destroy(), WRITE_MS);
        await raw.writeSSE({ event, data, retry: RETRY_MS });
        clearTimeout(timeout);
      },
    };
  }
}
