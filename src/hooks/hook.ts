import type { HookEvent } from "./hook-events.js";

/** Receives events: a module in the home, or an HTTP endpoint. */
export interface Hook {
  readonly name: string;
  readonly events: readonly string[];
  /** Whether its result is a verdict. */
  readonly decides: boolean;
  /** Loads the hook. Never rejects. */
  start(): Promise<void>;
  /** Queues the event. Doesn't wait for the hook. */
  notify(event: HookEvent): void;
  /** Calls the hook now and returns its result. Rejects on errors and timeouts. */
  call(event: HookEvent): Promise<unknown>;
  /** Works on the queue for at most this time, then closes. */
  close(graceMs: number): Promise<void>;
}

export type HookOutcome = "ok" | "failed" | "timeout" | "dropped";

/** Reports what becomes of calls. */
export interface HookReports {
  outcome(hook: string, outcome: HookOutcome): void;
  /** Once per run of failures. */
  failed(hook: string, event: string, error: unknown): void;
  gaveUp(hook: string, reason: string): void;
  /** A line that the hook printed. */
  printed(hook: string, line: string): void;
}

export class HookTimeout extends Error {}

/** Exact matches first, then `<base>:*`, as in Hermes Agent; each sorted by name. */
export function listenersOf<H extends Pick<Hook, "name" | "events">>(
  hooks: readonly H[],
  event: string,
): H[] {
  const family = `${event.split(":", 1)[0]}:*`;
  const sorted = hooks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const exact = sorted.filter(({ events }) => events.includes(event));
  const byFamily = sorted.filter((hook) => hook.events.includes(family) && !exact.includes(hook));
  return [...exact, ...byFamily];
}
