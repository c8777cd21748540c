import { getEventListeners } from "node:events";

/** What a signal still holds on to: listeners, and signals that depend on it (`AbortSignal.any`). */
export function leftAt(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(({ description }) =>
    description?.includes("Dependant"),
  );
  const kept = key && (signal as unknown as Record<symbol, Set<unknown> | undefined>)[key];
  return getEventListeners(signal, "abort").length + (kept?.size ?? 0);
}
