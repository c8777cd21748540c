/** Server-sent events: the overview whenever something has happened, to a bounded number of pages. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { fault } from "../faults.js";
import type { DashboardBounds, DashboardOptions } from "./options.js";
import type { OverviewSource } from "./overview.js";

/** A page that reads nothing for this long is gone. */
const WRITE_MS = 20_000;
const RETRY_MS = 2000;

export class Live {
  readonly #source: OverviewSource;
  readonly #options: DashboardOptions;
  readonly #bounds: DashboardBounds;
  /** Resolves for everybody at once when it is time for another look. */
  #tick = newTick();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;
  #clients = 0;
  #closed = false;
  #reading: { at: number; text: Promise<string> } | undefined;

  constructor(source: OverviewSource, options: DashboardOptions, bounds: DashboardBounds) {
    this.#source = source;
    this.#options = options;
    this.#bounds = bounds;
  }

  serve(c: Context): Response {
    if (this.#closed || this.#clients >= this.#bounds.clients) {
      c.header("Retry-After", "10");
      return fault(c, 503, "unavailable", "Too many pages are kept up to date already, or the gateway stops");
    }
    this.#enter();
    // A proxy that waits for more before it passes something on would hold every event back.
    c.header("X-Accel-Buffering", "no");
    const feed = async (stream: SSEStreamingApi) => {
      try {
        await this.#feed(c, stream);
      } finally {
        this.#leave();
      }
    };
    // The page tries again.
    return streamSSE(c, feed, async (error) =>
      this.#options.log.warn({ err: error }, "the dashboard's events ended"),
    );
  }

  close(): void {
    this.#closed = true;
    this.#stopTicking();
    this.#tick.resolve();
  }

  /** No queue: a page that reads slowly gets the newest state when it is ready for it. */
  async #feed(c: Context, stream: SSEStreamingApi): Promise<void> {
    while (!this.#closed && !stream.aborted && !stream.closed) {
      const next = this.#tick.promise;
      const data = await this.#read();
      const cut = setTimeout(() => (c.env as HttpBindings).outgoing.destroy(), WRITE_MS);
      await stream.writeSSE({ event: "overview", data, retry: RETRY_MS });
      clearTimeout(cut);
      await next;
    }
  }

  /** One look serves all pages. */
  #read(): Promise<string> {
    const now = performance.now();
    if (!this.#reading || now - this.#reading.at >= this.#bounds.leastMs) {
      const text = this.#source.read().then((overview) => JSON.stringify(overview));
      this.#reading = { at: now, text };
    }
    return this.#reading.text;
  }

  #enter(): void {
    this.#clients += 1;
    if (this.#clients > 1) return;
    this.#timer = setInterval(() => this.#next(), this.#bounds.everyMs);
    this.#unwatch = this.#options.watch(() => this.#nextSoon());
  }

  #leave(): void {
    this.#clients -= 1;
    if (this.#clients === 0) this.#stopTicking();
  }

  #stopTicking(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Batches events that happen at once. */
  #nextSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#next();
    }, this.#bounds.leastMs);
  }

  #next(): void {
    const { resolve } = this.#tick;
    this.#tick = newTick();
    resolve();
  }
}

function newTick(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
