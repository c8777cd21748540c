/** The queue of updates: kept until a poll with a higher offset, or a webhook's 2xx, confirms them. */
import type { ServerResponse } from "node:http";
import { ApiError, type WireUpdate } from "./types.js";

export const CONFLICT =
  "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
export const WEBHOOK_ACTIVE =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

interface Poll {
  limit: number;
  settle(updates: WireUpdate[]): void;
  abort(error: ApiError): void;
}

export class UpdateQueue {
  /** Not confirmed yet, oldest first. */
  readonly pending: WireUpdate[] = [];
  /** The highest offset that the bot has polled with. */
  confirmed = 0;
  reorder = false;
  #nextId: number;
  #poll: Poll | undefined;
  #allowed: readonly string[] = [];

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  get isPolled(): boolean {
    return this.#poll !== undefined;
  }

  /** After a week without updates, ids may restart anywhere, even lower. */
  restartIdsAt(id: number): void {
    this.#nextId = id;
  }

  add(kind: string, content: unknown, copies = 1): WireUpdate {
    const update: WireUpdate = { update_id: this.#nextId++, [kind]: content };
    if (this.#allowed.length > 0 && !this.#allowed.includes(kind)) return update;
    for (let i = 0; i < copies; i++) this.put(update);
    return update;
  }

  /** May be called again with the same update, as after a lost confirmation. */
  put(update: WireUpdate): void {
    this.pending.push(update);
    this.#serve();
  }

  allow(kinds: readonly string[] | undefined): void {
    if (kinds) this.#allowed = kinds;
  }

  remove(update: WireUpdate): void {
    const at = this.pending.indexOf(update);
    if (at >= 0) this.pending.splice(at, 1);
  }

  confirmBelow(offset: number): void {
    this.confirmed = Math.max(this.confirmed, offset);
    const kept = this.pending.filter((update) => update.update_id >= offset);
    this.pending.splice(0, this.pending.length, ...kept);
  }

  /** Waits for updates; a second poll ends the first with a 409. */
  poll(options: { limit: number; timeoutMs: number }, response: ServerResponse): Promise<WireUpdate[]> {
    this.abort(new ApiError(409, CONFLICT));
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        if (this.#poll === poll) this.#poll = undefined;
      };
      const timer = setTimeout(() => poll.settle([]), options.timeoutMs);
      const poll: Poll = {
        limit: options.limit,
        settle: (updates) => {
          end();
          resolve(updates);
        },
        abort: (error) => {
          end();
          reject(error);
        },
      };
      response.on("close", end);
      this.#poll = poll;
      this.#serve();
    });
  }

  abort(error: ApiError): void {
    this.#poll?.abort(error);
  }

  #serve(): void {
    if (!this.#poll || this.pending.length === 0) return;
    const batch = this.pending.slice(0, this.#poll.limit);
    this.#poll.settle(this.reorder ? batch.reverse() : batch);
  }
}
