/** How often strangers may request a pairing code. Times are epoch seconds. */

export const PAIRING_TTL_SECONDS = 3600;
export const MAX_PENDING_PER_PLATFORM = 3;
export const REQUEST_INTERVAL_SECONDS = 600;

export type Permission<Reason extends string> =
  | { ok: true }
  | { ok: false; reason: Reason; retryAfterSeconds: number };

export type RequestPermission = Permission<"locked_out" | "too_soon" | "too_many_pending">;

export interface RequestState {
  /** All requests of the platform, including expired ones. */
  pending: readonly { createdAt: number }[];
  lastRequestAt?: number | null | undefined;
  lockedUntil?: number | null | undefined;
}

export function mayRequestPairing(state: RequestState, now: number): RequestPermission {
  const locked = (state.lockedUntil ?? 0) - now;
  if (locked > 0) return later("locked_out", locked);
  const wait = (state.lastRequestAt ?? Number.NEGATIVE_INFINITY) + REQUEST_INTERVAL_SECONDS - now;
  // More than the interval: the clock was set back since.
  if (wait > 0 && wait <= REQUEST_INTERVAL_SECONDS) return later("too_soon", wait);
  const live = state.pending.filter((pending) => isLive(pending, now));
  if (live.length < MAX_PENDING_PER_PLATFORM) return { ok: true };
  const oldest = Math.min(...live.map((pending) => pending.createdAt));
  return later("too_many_pending", oldest + PAIRING_TTL_SECONDS - now);
}

export function isLive(pending: { createdAt: number }, now: number): boolean {
  return now - pending.createdAt <= PAIRING_TTL_SECONDS;
}

export function later<Reason extends string>(reason: Reason, seconds: number): Permission<Reason> {
  return { ok: false, reason, retryAfterSeconds: Math.ceil(seconds) };
}
