/** A stranger asks, an owner approves: the limits, the code and its hash. Times are epoch seconds. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Nothing that reads like something else (0/O, 1/I), so that a code survives being read out. */
export const PAIRING_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
export const PAIRING_CODE_LENGTH = 8;
export const PAIRING_TTL_SECONDS = 3600;
export const MAX_PENDING_PER_PLATFORM = 3;
export const REQUEST_INTERVAL_SECONDS = 600;
export const MAX_FAILED_APPROVALS = 5;
export const LOCKOUT_SECONDS = 3600;

/** A request that waits for its approval; the code itself is never stored. */
export interface PendingPairing {
  hash: string;
  /** Hex. */
  salt: string;
  createdAt: number;
}

export type Permission<Reason extends string> =
  | { ok: true }
  | { ok: false; reason: Reason; retryAfterSeconds: number };

/** 32 letters, so five bits of each byte choose one without bias. */
export function newPairingCode(randomBytes: (count: number) => Uint8Array): string {
  return Array.from(randomBytes(PAIRING_CODE_LENGTH), (byte) => PAIRING_ALPHABET[byte & 31]).join("");
}

/** SHA-256 of the salt's bytes followed by the code, hex. */
export function hashPairingCode(code: string, saltHex: string): string {
  return createHash("sha256").update(Buffer.from(saltHex, "hex")).update(normalCode(code)).digest("hex");
}

export function mayRequestPairing(
  state: {
    /** All requests of the platform, expired ones too. */
    pending: readonly Pick<PendingPairing, "createdAt">[];
    lastRequestAt?: number | undefined;
    lockedUntil?: number | undefined;
  },
  now: number,
): Permission<"locked_out" | "too_soon" | "too_many_pending"> {
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

export function mayApprove(
  state: { lockedUntil?: number | undefined },
  now: number,
): Permission<"locked_out"> {
  const locked = (state.lockedUntil ?? 0) - now;
  return locked > 0 ? later("locked_out", locked) : { ok: true };
}

/** The platform's counters after one more wrong code; the fifth closes pairing for an hour and counts afresh. */
export function afterFailedApproval(
  failures: number,
  now: number,
): { failures: number; lockedUntil?: number } {
  const counted = failures + 1;
  return counted < MAX_FAILED_APPROVALS
    ? { failures: counted }
    : { failures: 0, lockedUntil: now + LOCKOUT_SECONDS };
}

export type PairingMatch<P> = { ok: true; pending: P } | { ok: false; reason: "unknown_code" | "expired" };

/** Every pending request is compared, in constant time: how long it takes says nothing about the codes. */
export function matchPairing<P extends PendingPairing>(
  code: string,
  pendings: readonly P[],
  now: number,
): PairingMatch<P> {
  const matches = pendings.filter((pending) => sameHash(hashPairingCode(code, pending.salt), pending.hash));
  const live = matches.find((pending) => isLive(pending, now));
  if (live !== undefined) return { ok: true, pending: live };
  return { ok: false, reason: matches.length > 0 ? "expired" : "unknown_code" };
}

function isLive(pending: Pick<PendingPairing, "createdAt">, now: number): boolean {
  return now - pending.createdAt <= PAIRING_TTL_SECONDS;
}

function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "hex"), Buffer.from(right, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}

function normalCode(code: string): string {
  return code.trim().toUpperCase();
}

function later<Reason extends string>(reason: Reason, seconds: number): Permission<Reason> {
  return { ok: false, reason, retryAfterSeconds: Math.ceil(seconds) };
}
