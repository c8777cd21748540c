/** Server-sent events: the overview whenever something has happened, to a bounded number of pages. */
import type { Context } from "hono";
import type { DashboardBounds, DashboardOptions } from "./options.js";
import type { OverviewSource } from "./overview.js";
import { type EventStream, EventStreams } from "./streams.js";

export class Live {
  readonly #source: OverviewSource;
  readonly #options: DashboardOptions;
  readonly #bounds: DashboardBounds;
  readonly #streams: EventStreams;
  /** Resolves for all waiters together when it is time to read again. */
  #tick = newTick();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;
  #clients = 0;
  #reading: { at: number; text: Promise<string> } | undefined;

  constructor(source: OverviewSource, options: DashboardOptions, bounds: DashboardBounds) {
    this.#source = source;
    this.#options = options;
    this.#bounds = bounds;
    this.#streams = new EventStreams({ most: bounds.clients, log: options.log });
  }

  serve(c: Context): Response {
    return this.#streams.serve(c, async (stream) => {
      this.#enter();
      try {
        await this.#feed(stream);
      } finally {
        this.#leave();
      }
    });
  }

  close(): void {
    this.#streams.close();
    this.#stopTicking();
    this.#tick.resolve();
  }

  /** No queue: a page that reads slowly gets the newest state when it is ready for it. */
  async #feed(stream: EventStream): Promise<void> {
    while (!stream.over.aborted) {
      const next = this.#tick.promise;
      await stream.send("overview", await this.#read());
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
