/** Polls a platform. The cursor survives restarts and moves only past items the inbox has stored. */
import { type BackoffLimits, pause } from "../../backoff.js";
import type { AdapterEvents } from "../adapter.js";
import { repeat } from "./retry.js";

export interface Page<T> {
  /** Oldest first. */
  items: readonly T[];
  /** The next cursor once all items are received; undefined leaves it unchanged. */
  cursor?: string | undefined;
  /** Another page is available. */
  hasMore?: boolean;
}

export interface PollingOptions<T> {
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  cursorName: string;
  /** The cursor is undefined on the very first poll. Must obey the signal and have its own timeout. */
  poll(cursor: string | undefined, signal: AbortSignal): Promise<Page<T>>;
  /** Resolves when the inbox has stored the item; if it rejects, the page is polled again. */
  receive(item: T): Promise<void>;
  /** Delay between polls when there are no more pages. With long polling: protects servers that don't hold polls open. */
  everyMs: number;
  backoff: BackoffLimits;
  signal: AbortSignal;
  /** A poll succeeded and its items are received. */
  onProof?(): void;
  /** May return a delay that the platform asked for. Throwing ends the loop. */
  onFailure(error: unknown, failures: number): number | undefined;
}

/** Runs until the signal aborts. Rejects only if `onFailure` throws. */
export async function pollWithCursor<T>(options: PollingOptions<T>): Promise<void> {
  const { events, cursorName, signal } = options;
  let cursor: string | undefined;
  let isLoaded = false;
  await repeat(async () => {
    if (!isLoaded) cursor = await events.cursor(cursorName);
    isLoaded = true;
    const page = await options.poll(cursor, signal);
    for (const item of page.items) await options.receive(item);
    const hasMoved = page.cursor !== undefined && page.cursor !== cursor;
    if (hasMoved) await events.saveCursor({ name: cursorName, value: page.cursor! });
    cursor = page.cursor ?? cursor;
    if (signal.aborted) return;
    options.onProof?.();
    // A page that promises more without moving the cursor would cause a busy loop.
    if (!page.hasMore || !hasMoved) await pause(options.everyMs, signal);
  }, options);
}
