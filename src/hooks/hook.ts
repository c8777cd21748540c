import type { HookEvent } from "./hook-events.js";

/** Somebody who is told: a module in the home, or another program over HTTP. */
export interface Hook {
  readonly name: string;
  readonly events: readonly string[];
  /** What it answers counts. */
  readonly decides: boolean;
  /** Gets ready. Never rejects. */
  start(): Promise<void>;
  /** Takes its place in the line; nobody waits for it. */
  tell(event: HookEvent): void;
  /** Tells it now. Gives what it answered; rejects with what went wrong, in time. */
  ask(event: HookEvent): Promise<unknown>;
  /** What waits gets a moment. */
  close(graceMs: number): Promise<void>;
}

export type HookOutcome = "ok" | "failed" | "timeout" | "dropped";

/** What hooks have to say back, about themselves. */
export interface HookReports {
  outcome(hook: string, outcome: HookOutcome): void;
  /** Once for every row of failures, not for each. */
  failed(hook: string, event: string, error: unknown): void;
  gaveUp(hook: string, reason: string): void;
  /** A line that the hook printed. */
  said(hook: string, line: string): void;
}

export class HookTimeout extends Error {}

/** Exact ones first, then those of `<base>:*`, as the hooks of Hermes Agent; each in the order of their names. */
export function listenersOf<H extends Pick<Hook, "name" | "events">>(
  hooks: readonly H[],
  event: string,
): H[] {
  const family = `${event.split(":", 1)[0]}:*`;
  const sorted = hooks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const exact = sorted.filter(({ events }) => events.includes(event));
  const wider = sorted.filter((hook) => hook.events.includes(family) && !exact.includes(hook));
  return [...exact, ...wider];
}
