/** Asks a platform for news again and again. The cursor moves only past items that the inbox has, and survives restarts. */
import { type BackoffLimits, pause } from "../../backoff.js";
import type { AdapterEvents } from "../adapter.js";
import { repeat } from "./retry.js";

export interface Page<T> {
  /** Oldest first. */
  items: readonly T[];
  /** Where the next poll begins once all items are received; undefined: unchanged. */
  cursor?: string | undefined;
  /** Another page is ready. */
  hasMore?: boolean;
}

export interface PollingOptions<T> {
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  cursorName: string;
  /** The cursor is undefined on the very first poll ever. Must end with the signal and have a timeout of its own. */
  poll(cursor: string | undefined, signal: AbortSignal): Promise<Page<T>>;
  /** Resolves when the inbox has the item; if it rejects, the page is polled again. */
  receive(item: T): Promise<void>;
  /** Between two polls when there are no more pages. With long polling: what a server that doesn't hold polls is spared. */
  everyMs: number;
  backoff: BackoffLimits;
  signal: AbortSignal;
  /** A poll succeeded and its items are received. */
  onProof?(): void;
  /** May return the delay that the platform asked for. If it throws, the loop ends. */
  onFailure(error: unknown, failures: number): number | undefined;
}

/** Runs until the signal aborts. Rejects only as `onFailure` throws. */
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
    // A page that promises more and moves nothing would make us poll without a break.
    if (!page.hasMore || !hasMoved) await pause(options.everyMs, signal);
  }, options);
}
