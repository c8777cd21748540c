/** Events in order within each channel; channels run in parallel. Knows how old the oldest pending event is. */
import { SerialQueue } from "../../serial-queue.js";

const MAX_PENDING = 20_000;

export class ChannelQueue {
  readonly #queue = new SerialQueue(MAX_PENDING);
  /** When each pending event happened. Epoch milliseconds. */
  readonly #since = new Map<symbol, number>();

  /** Rejects with a QueueFullError when too much is pending. */
  add(channelId: string, work: () => Promise<void>, sinceMs = Date.now()): Promise<void> {
    const event = Symbol(channelId);
    this.#since.set(event, sinceMs);
    return this.#queue.add(channelId, work).finally(() => this.#since.delete(event));
  }

  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const sinceMs of this.#since.values()) oldest = Math.min(oldest ?? sinceMs, sinceMs);
    return oldest;
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }
}
