/** Pigeon, as the gateway knows it: a chat that is polled over HTTP. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Adapter,
  type AdapterEvents,
  type CanType,
  type Health,
  HermesError,
  type OutboundMessage,
  type PartContext,
  type PlatformLog,
  SendError,
  splitText,
  type Target,
} from "hermes-gateway/plugin";
import { isTokenRefused, PigeonApi, reasonOf, sendErrorOf, TOKEN_REFUSED } from "./api.js";
import { normalise, numberOf, PLATFORM } from "./normalise.js";

export interface PigeonOptions {
  url: string;
  token: string;
  log: PlatformLog;
  timing?: Partial<Timing>;
}

interface Timing {
  pollSeconds: number;
  callMs: number;
  /** Between two attempts when something is wrong; up to a hundred times that when it stays so. */
  backoffMs: number;
}

const TIMING: Timing = { pollSeconds: 25, callMs: 10_000, backoffMs: 300 };
const CURSOR = "events";
const NOT_CONNECTED: Health = { state: "down", lastProofAt: null, detail: "Pigeon is not connected" };

/** One message in a room. */
interface PigeonPart {
  text: string;
}

export class PigeonAdapter implements Adapter, CanType {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: 2000, unit: "codepoint" } as const;
  readonly #api: PigeonApi;
  readonly #log: PlatformLog;
  readonly #timing: Timing;
  #health: Health = NOT_CONNECTED;
  /** Of the current connection: aborted by `disconnect` or by the gateway. */
  #ended: AbortSignal = AbortSignal.abort();
  #disconnect = () => {};

  constructor({ url, token, log, timing }: PigeonOptions) {
    this.account = token.split(".", 1)[0]!;
    this.#log = log;
    this.#timing = { ...TIMING, ...timing };
    this.#api = new PigeonApi({ url, token, callMs: this.#timing.callMs });
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.#begin(signal);
    try {
      await this.#api.whoAmI(ended);
      this.#proved();
    } catch (error) {
      if (ended.aborted) return;
      // Only a person can help. Anything else passes, and is waited for.
      if (isTokenRefused(error)) throw this.#refused();
      this.#trouble("degraded", `Pigeon can't be reached (${reasonOf(error)}): trying again`);
    }
    void this.#listen(events, ended);
  }

  async disconnect(): Promise<void> {
    this.#disconnect();
  }

  health(): Health {
    return this.#health;
  }

  render({ text }: OutboundMessage): PigeonPart[] {
    if (text.trim() === "") return [];
    const { length: limit, unit } = this.limits;
    return splitText(text, { limit, unit }).map((part) => ({ text: part }));
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    { text }: PigeonPart,
    { index }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    const { chatId, replyTo } = target;
    if (this.#ended.aborted) throw new SendError("never_sent", "Pigeon is not connected");
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    if (chatId === null) throw new SendError("refused", "The message names no room");
    const answers = index === 0 ? replyTo : null;
    // The same key for every attempt: Pigeon posts once for a key.
    const post = { room: chatId, text, answers, key: `${nonce}:${index}` };
    try {
      return [await this.#api.post(post, signal)];
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  type({ chatId }: Target): void {
    // A comfort: where it fails, nothing is amiss.
    if (chatId !== null) this.#api.typing(chatId, this.#ended).catch(() => undefined);
  }

  #begin(signal: AbortSignal): AbortSignal {
    this.#disconnect();
    const own = new AbortController();
    this.#disconnect = () => own.abort();
    const ended = AbortSignal.any([signal, own.signal]);
    ended.addEventListener("abort", () => {
      this.#health = { ...NOT_CONNECTED, lastProofAt: this.#health.lastProofAt };
    });
    this.#ended = ended;
    return ended;
  }

  /** Until the connection is ended; never rejects. */
  async #listen(events: AdapterEvents, ended: AbortSignal): Promise<void> {
    let failures = 0;
    while (!ended.aborted) {
      try {
        await this.#pollOnce(events, ended);
        failures = 0;
      } catch (error) {
        if (ended.aborted) return;
        this.#failed(error);
        const pauseMs = this.#timing.backoffMs * Math.min(100, 2 ** failures++);
        await sleep(pauseMs, undefined, { signal: ended }).catch(() => undefined);
      }
    }
  }

  async #pollOnce(events: AdapterEvents, ended: AbortSignal): Promise<void> {
    const after = Number((await events.cursor(CURSOR)) ?? 0);
    // After a failure the next answer comes at once, so that we know soon that all is well.
    const waitSeconds = this.#health.state === "ok" ? this.#timing.pollSeconds : 0;
    const happened = await this.#api.events(after, waitSeconds, ended);
    for (const event of happened) {
      if (ended.aborted) return;
      await this.#take(event, events);
    }
    if (!ended.aborted) this.#proved();
  }

  /** Resolves when the event is safe with us; the next poll says so to Pigeon. */
  async #take(event: unknown, events: AdapterEvents): Promise<void> {
    const happening = normalise(event, this.account);
    const cursor = { name: CURSOR, value: String(numberOf(event)) };
    if (happening?.kind === "said") return events.receive(happening.message, cursor);
    if (happening?.kind === "changed") await events.edited(happening.edit);
    if (happening?.kind === "removed") await events.deleted(happening.ref);
    if (numberOf(event) > 0) await events.saveCursor(cursor);
  }

  #proved(): void {
    this.#health = { state: "ok", lastProofAt: Date.now() / 1000 };
  }

  #failed(error: unknown): void {
    if (isTokenRefused(error)) this.#trouble("down", TOKEN_REFUSED);
    else this.#trouble("degraded", `Nothing comes in from Pigeon (${reasonOf(error)}): trying again`);
  }

  /** One line each time that something else is wrong, not one an attempt. */
  #trouble(state: "degraded" | "down", detail: string): void {
    if (detail !== this.#health.detail) this.#log(state === "down" ? "error" : "warn", detail);
    this.#health = { ...this.#health, state, detail };
  }

  #refused(): HermesError {
    this.#disconnect();
    this.#health = { ...this.#health, detail: TOKEN_REFUSED };
    return new HermesError("refused", "Pigeon refuses the bot's token", { hint: TOKEN_REFUSED });
  }
}
