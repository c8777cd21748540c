/** Server-sent events: sends the overview to a limited number of pages after every change. */
import type { Context } from "hono";
import type { DashboardBounds, DashboardOptions } from "./options.js";
import type { OverviewSource } from "./overview.js";
import { type EventStream, EventStreams } from "./streams.js";

export class Live {
  readonly #source: OverviewSource;
  readonly #options: DashboardOptions;
  readonly #bounds: DashboardBounds;
  readonly #streams: EventStreams;
  /** Resolves for all pages at the next update. */
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
    this.#streams = new EventStreams({ max: bounds.clients, log: options.log });
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

  /** There is no queue: a slow page gets the newest state when it is ready. */
  async #feed(stream: EventStream): Promise<void> {
    while (!stream.ended.aborted) {
      const next = this.#tick.promise;
      await stream.send("overview", await this.#read());
      await next;
    }
  }

  /** All pages share one read. */
  #read(): Promise<string> {
    const now = performance.now();
    if (!this.#reading || now - this.#reading.at >= this.#bounds.minMs) {
      const text = this.#source.read().then((overview) => JSON.stringify(overview));
      this.#reading = { at: now, text };
    }
    return this.#reading.text;
  }

  #enter(): void {
    this.#clients += 1;
    if (this.#clients > 1) return;
    this.#timer = setInterval(() => this.#next(), this.#bounds.maxMs);
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

  /** Combines events that happen at the same time. */
  #nextSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#next();
    }, this.#bounds.minMs);
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
