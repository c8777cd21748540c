/** "is thinking…" under a thread, where the app may say so. Never in the way of an answer. */
import type { Target } from "../../message.js";
import type { SlackApi } from "./api.js";
import { BoundedMap } from "./bounded-map.js";
import { isTs } from "./ids.js";

const MOST_THREADS = 1000;
const STATUS = "is thinking…";
/** After a refusal nobody asks again for a while. */
const SILENT_MS = 300_000;

export class Typing {
  readonly #api: SlackApi;
  readonly #gapMs: number;
  readonly #timeoutMs: number;
  readonly #lastAtMs = new BoundedMap<string, number>(MOST_THREADS);
  #silentUntilMs = 0;

  constructor(api: SlackApi, gapMs: number, timeoutMs: number) {
    this.#api = api;
    this.#gapMs = gapMs;
    this.#timeoutMs = timeoutMs;
  }

  show({ chatId, threadId }: Target): void {
    const now = performance.now();
    if (chatId === null || !isTs(threadId) || now < this.#silentUntilMs) return;
    const key = `${chatId}:${threadId}`;
    if (now - (this.#lastAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < this.#gapMs) return;
    this.#lastAtMs.set(key, now);
    const args = { channel_id: chatId, thread_ts: threadId, status: STATUS };
    this.#api.call("assistant.threads.setStatus", args, { timeoutMs: this.#timeoutMs }).catch(() => {
      this.#silentUntilMs = performance.now() + SILENT_MS;
    });
  }
}
