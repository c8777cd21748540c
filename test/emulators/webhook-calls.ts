/** A service's calls to the gateway's webhook: in order per person, repeated as far as that service does. */
import { setTimeout as sleep } from "node:timers/promises";

export interface WebhookPost {
  /** Calls of one key wait for each other. */
  key: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface CallOptions {
  /** After so many attempts, with this result, does it try again, and when? Status 0: there was no answer. */
  retryMs(attempts: number, status: number): number | undefined;
  timeoutMs: number;
  /** The service can't reach anything now. */
  isCutOff(): boolean;
}

export interface Delivery {
  post: WebhookPost;
  state: "waiting" | "accepted" | "lost";
  statuses: number[];
}

export class WebhookCalls {
  readonly all: Delivery[] = [];
  /** Each new call is made twice. */
  duplicate = false;
  readonly #options: CallOptions;
  readonly #tails = new Map<string, Promise<void>>();
  #held: Delivery[] | undefined;
  #isClosed = false;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  add(post: WebhookPost): Delivery {
    const delivery: Delivery = { post, state: "waiting", statuses: [] };
    this.all.push(delivery);
    if (this.#held) this.#held.push(delivery);
    else this.#enqueue(delivery);
    if (this.duplicate) this.again(delivery);
    return delivery;
  }

  /** As when the answer got lost on the way. */
  again({ post }: Delivery): void {
    const copy: Delivery = { post, state: "waiting", statuses: [] };
    this.all.push(copy);
    if (this.#held) this.#held.push(copy);
    else this.#enqueue(copy);
  }

  /** Calls are kept back until `release`, which makes them newest first. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const delivery of held.toReversed()) this.#enqueue(delivery);
  }

  close(): void {
    this.#isClosed = true;
  }

  #enqueue(delivery: Delivery): void {
    const { key } = delivery.post;
    const tail = (this.#tails.get(key) ?? Promise.resolve()).then(() => this.#deliver(delivery));
    this.#tails.set(key, tail);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    for (;;) {
      if (this.#isClosed) return;
      const status = this.#options.isCutOff() ? 0 : await this.#attempt(delivery.post);
      delivery.statuses.push(status);
      if (status === 200) {
        delivery.state = "accepted";
        return;
      }
      const waitMs = this.#options.retryMs(delivery.statuses.length, status);
      if (waitMs === undefined) {
        delivery.state = "lost";
        return;
      }
      await sleep(waitMs);
    }
  }

  async #attempt({ url, headers, body }: WebhookPost): Promise<number> {
    try {
      const signal = AbortSignal.timeout(this.#options.timeoutMs);
      const response = await fetch(url, { method: "POST", headers, body, signal });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }
}
