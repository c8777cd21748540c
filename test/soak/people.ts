/** People who write at a steady pace: in the chats of emulated platforms, and in browsers at the web chat. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Place, Platform } from "../chaos/platform.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

const TOKEN = /soak-[0-9a-f-]{36}/g;

/** Everybody's messages carry a token; the echo agent's answer repeats it. */
export class People {
  readonly #platforms: readonly Platform[];
  readonly #url: () => string;
  readonly #sent = new Map<string, Place>();
  #webSent = 0;
  #webAnswered = 0;
  /** In milliseconds, since they were last asked for. */
  #latencies: number[] = [];

  constructor(platforms: readonly Platform[], url: () => string) {
    this.#platforms = platforms;
    this.#url = url;
  }

  get sent(): number {
    return this.#sent.size + this.#webSent;
  }

  /** How many messages have an answer. */
  answered(): number {
    return this.#webAnswered + [...this.#counts().values()].filter((count) => count > 0).length;
  }

  takeLatencies(): number[] {
    return this.#latencies.splice(0);
  }

  /** Writes until the signal: each place every `everyMs`, and so many browsers. */
  async write(everyMs: number, browsers: number, signal: AbortSignal): Promise<void> {
    const places = this.#platforms.flatMap((platform) => platform.places);
    await Promise.all([
      ...places.map((place) => this.#writeIn(place, everyMs, signal)),
      ...Array.from({ length: browsers }, () => this.#browse(everyMs, signal)),
    ]);
  }

  /** Tokens without an answer, and tokens that were answered more than once. */
  verdict(): { lost: string[]; repeated: string[] } {
    const counts = this.#counts();
    const tokens = [...this.#sent.keys()];
    return {
      lost: tokens.filter((token) => (counts.get(token) ?? 0) === 0),
      repeated: tokens.filter((token) => (counts.get(token) ?? 0) > 1),
    };
  }

  async #writeIn(place: Place, everyMs: number, signal: AbortSignal): Promise<void> {
    await wait(Math.random() * everyMs, signal);
    for (let n = 0; !signal.aborted; n += 1) {
      const token = `soak-${randomUUID()}`;
      this.#sent.set(token, place);
      place.say(n % place.people, `${token} ${"some words ".repeat(n % 40)}`);
      await wait(everyMs, signal);
    }
  }

  async #browse(everyMs: number, signal: AbortSignal): Promise<void> {
    const client = new WebClient(this.#url);
    await wait(Math.random() * everyMs, signal);
    while (!signal.aborted) {
      const token = `soak-${randomUUID()}`;
      this.#webSent += 1;
      const startMs = performance.now();
      await client.send(token);
      const isAnswered = async () => (await client.answers()).some((text) => text.includes(token));
      await until(`an answer to ${token}`, isAnswered, { timeoutMs: 60_000 });
      this.#latencies.push(performance.now() - startMs);
      this.#webAnswered += 1;
      await wait(everyMs, signal);
    }
  }

  #counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const platform of this.#platforms)
      for (const place of platform.places)
        for (const { text } of place.seen())
          for (const [token] of text.matchAll(TOKEN)) counts.set(token, (counts.get(token) ?? 0) + 1);
    return counts;
  }
}

/** Ends early with the signal. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
