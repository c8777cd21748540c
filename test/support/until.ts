import { setTimeout as pause } from "node:timers/promises";

const LOOK_EVERY_MS = 10;

export interface UntilOptions {
  timeoutMs?: number;
  /** What was there instead, for the failure's message. */
  found?: () => unknown;
}

/** Polls until `look` returns something other than undefined and false, and returns it. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 20_000, found }: UntilOptions = {},
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen as T;
    if (performance.now() > giveUpAt) {
      const instead = found ? `; found ${JSON.stringify(await found())}` : "";
      throw new Error(`Timed out after ${timeoutMs} ms waiting until ${what}${instead}`);
    }
    await pause(LOOK_EVERY_MS);
  }
}
