import { setTimeout as pause } from "node:timers/promises";

const LOOK_EVERY_MS = 10;

export interface UntilOptions {
  timeoutMs?: number;
  /** What was there instead, for the failure's message. */
  found?: () => unknown;
}

/** Looks until there is something (not undefined, not false), and gives it. Waits for a state, never for time. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 10_000, found }: UntilOptions = {},
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen as T;
    if (performance.now() > giveUpAt) {
      const instead = found ? `; found ${JSON.stringify(await found())}` : "";
      throw new Error(`Waited ${timeoutMs} ms in vain until ${what}${instead}`);
    }
    await pause(LOOK_EVERY_MS);
  }
}
