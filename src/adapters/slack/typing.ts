/** Shows "is thinking…" in a thread, if the app may. Failures never affect the answer. */

import { BoundedMap } from "../../bounded-map.js";
import type { Target } from "../../message.js";
import type { SlackApi } from "./api.js";
import { isTs } from "./ids.js";

const MAX_THREADS = 1000;
const STATUS = "is thinking…";
/** Pause after a failure. */
const PAUSE_MS = 300_000;

export class Typing {
  readonly #api: SlackApi;
  readonly #gapMs: number;
  readonly #timeoutMs: number;
  readonly #lastAtMs = new BoundedMap<string, number>(MAX_THREADS);
  #pausedUntilMs = 0;

  constructor(api: SlackApi, gapMs: number, timeoutMs: number) {
    this.#api = api;
    this.#gapMs = gapMs;
    this.#timeoutMs = timeoutMs;
  }

  show({ chatId, threadId }: Target): void {
    const now = performance.now();
    if (chatId === null || !isTs(threadId) || now < this.#pausedUntilMs) return;
    const key = `${chatId}:${threadId}`;
    if (now - (this.#lastAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < this.#gapMs) return;
    this.#lastAtMs.set(key, now);
    const args = { channel_id: chatId, thread_ts: threadId, status: STATUS };
    this.#api.call("assistant.threads.setStatus", args, { timeoutMs: this.#timeoutMs }).catch(() => {
      this.#pausedUntilMs = performance.now() + PAUSE_MS;
    });
  }
}
