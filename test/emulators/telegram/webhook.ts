/** Webhook delivery: the head of each chat's queue, one at a time, retried until a 2xx. */
import type { WireMessage, WireUpdate } from "./types.js";
import type { UpdateQueue } from "./updates.js";

export interface WebhookTarget {
  url: string;
  secret: string | undefined;
}

export class WebhookSender {
  readonly #queue: UpdateQueue;
  readonly #retryMs: number;
  readonly #busy = new Set<number>();
  target: WebhookTarget | undefined;
  lastError: string | undefined;
  /** Status of every attempt. */
  readonly attempts: { updateId: number; status: number }[] = [];
  #closed = false;

  constructor(queue: UpdateQueue, retryMs: number) {
    this.#queue = queue;
    this.#retryMs = retryMs;
  }

  close(): void {
    this.#closed = true;
    this.target = undefined;
  }

  /** Delivers for chats whose head isn't being delivered. */
  wake(): void {
    if (!this.target) return;
    for (const update of this.#queue.pending) {
      const chat = chatOf(update);
      if (this.#busy.has(chat)) continue;
      this.#busy.add(chat);
      void this.#deliverChat(chat).finally(() => this.#busy.delete(chat));
    }
  }

  async #deliverChat(chat: number): Promise<void> {
    for (;;) {
      const head = this.#queue.pending.find((update) => chatOf(update) === chat);
      if (!head || !this.target || this.#closed) return;
      if (await this.#post(head, this.target)) this.#queue.remove(head);
      else await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
    }
  }

  async #post(update: WireUpdate, { url, secret }: WebhookTarget): Promise<boolean> {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (secret !== undefined) headers["x-telegram-bot-api-secret-token"] = secret;
    try {
      const body = JSON.stringify(update);
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(url, { method: "POST", headers, body, signal });
      await response.arrayBuffer();
      this.attempts.push({ updateId: update.update_id, status: response.status });
      if (!response.ok) this.lastError = `Wrong response from the webhook: ${response.status}`;
      return response.ok;
    } catch {
      this.attempts.push({ updateId: update.update_id, status: 0 });
      this.lastError = "Connection refused";
      return false;
    }
  }
}

function chatOf(update: WireUpdate): number {
  for (const value of Object.values(update)) {
    const { chat = undefined, message = undefined } = (value ?? {}) as Partial<WireMessage>;
    const asked = (message as Partial<WireMessage> | undefined)?.chat;
    if (chat ?? asked) return (chat ?? asked)!.id;
  }
  return 0;
}
