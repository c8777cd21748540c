import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Agent } from "undici";
import { nowSeconds } from "../clock.js";
import { guardedLookup } from "../public-address.js";
import { signBody } from "../secret.js";
import { withSignal } from "../timeout.js";
import { type Hook, type HookReports, HookTimeout } from "./hook.js";
import type { HookEvent } from "./hook-events.js";
import { HookQueue } from "./hook-queue.js";

export interface OutgoingSettings {
  name: string;
  url: string;
  events: readonly string[];
  /** Null: unsigned. */
  secret: string | null;
  timeoutMs: number;
  /** Retries after the first attempt. */
  retries: number;
  allowPrivate: boolean;
}

interface Delivery {
  id: string;
  body: string;
  event: string;
}

const MAX_WAITING = 1000;
const FIRST_PAUSE_MS = 500;

class Refused extends Error {}

/** Posts events to an HTTP endpoint: in order, signed, with retries, never awaited. */
export class OutgoingHook implements Hook {
  readonly name: string;
  readonly events: readonly string[];
  readonly decides = false;
  readonly #settings: OutgoingSettings;
  readonly #reports: HookReports;
  readonly #queue: HookQueue<Delivery>;
  #agent: Agent | undefined;
  readonly #closing = new AbortController();
  #failing = false;

  constructor(settings: OutgoingSettings, reports: HookReports) {
    this.name = settings.name;
    this.events = settings.events;
    this.#settings = settings;
    this.#reports = reports;
    this.#queue = new HookQueue(MAX_WAITING, (delivery) => this.#deliver(delivery));
  }

  async start(): Promise<void> {}

  notify(event: HookEvent): void {
    if (!this.#queue.push(toDelivery(event))) this.#reports.outcome(this.name, "dropped");
  }

  /** One attempt. The response body is ignored. */
  async call(event: HookEvent): Promise<undefined> {
    await this.#post(toDelivery(event));
  }

  async close(graceMs: number): Promise<void> {
    await this.#queue.close(graceMs);
    this.#closing.abort();
    await this.#agent?.destroy();
  }

  async #deliver(delivery: Delivery): Promise<void> {
    try {
      await this.#attempt(delivery);
      this.#failing = false;
      this.#reports.outcome(this.name, "ok");
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#reports.outcome(this.name, error instanceof HookTimeout ? "timeout" : "failed");
      if (!this.#failing) this.#reports.failed(this.name, delivery.event, error);
      this.#failing = true;
    }
  }

  /** The same id on every attempt, so that the receiver can deduplicate. */
  async #attempt(delivery: Delivery): Promise<void> {
    for (let tried = 0; ; tried += 1) {
      try {
        return await this.#post(delivery);
      } catch (error) {
        if (error instanceof Refused || tried >= this.#settings.retries) throw error;
        await wait(FIRST_PAUSE_MS * 4 ** tried, undefined, { signal: this.#closing.signal });
      }
    }
  }

  /** undici is loaded with the first event, to save memory. */
  async #post({ id, body, event }: Delivery): Promise<void> {
    const { Agent, request } = await import("undici");
    const { url, secret, timeoutMs, allowPrivate } = this.#settings;
    // No keep-alive: open connections would delay the shutdown.
    this.#agent ??= new Agent({
      connections: 1,
      pipelining: 0,
      connect: { lookup: guardedLookup(allowPrivate), timeout: timeoutMs },
    });
    const headers = {
      "content-type": "application/json",
      "x-hermes-event": event,
      "x-hermes-delivery": id,
      ...(secret === null ? {} : { "x-hermes-signature": signBody(secret, body, Math.floor(nowSeconds())) }),
    };
    // Redirects aren't followed: they would bypass the address checks.
    const options = { method: "POST", headers, body, dispatcher: this.#agent } as const;
    const statusCode = await withSignal(
      { signals: [this.#closing.signal], ms: timeoutMs },
      async (signal) => {
        const response = await request(url, { ...options, signal });
        await response.body.dump();
        return response.statusCode;
      },
    ).catch((error: unknown) => {
      throw (error as Error).name === "TimeoutError"
        ? new HookTimeout(`took longer than ${timeoutMs / 1000} s`)
        : error;
    });
    if (statusCode >= 200 && statusCode < 300) return;
    const mayRetry = statusCode === 408 || statusCode === 429 || statusCode >= 500;
    throw new (mayRetry ? Error : Refused)(`HTTP ${statusCode}`);
  }
}

function toDelivery({ name, context }: HookEvent): Delivery {
  const id = randomUUID();
  return { id, event: name, body: JSON.stringify({ id, event: name, at: nowSeconds(), context }) };
}
