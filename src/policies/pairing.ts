/** Pairing: a stranger asks, an owner approves. Limits, the code and its hash. Times are epoch seconds. */
import { createHash, timingSafeEqual } from "node:crypto";
import { isLive, later, type Permission } from "../pairing-limits.js";

export {
  PAIRING_TTL_SECONDS,
  type Permission,
} from "../pairing-limits.js";

/** Without characters that are easily confused (0/O, 1/I). */
export const PAIRING_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
export const PAIRING_CODE_LENGTH = 8;
export const MAX_FAILED_APPROVALS = 5;
export const LOCKOUT_SECONDS = 3600;

/** A request that waits for approval. The code itself is never stored. */
export interface PendingPairing {
  hash: string;
  /** Hex. */
  salt: string;
  createdAt: number;
}

/** 32 characters: five bits of each byte choose one without bias. */
export function newPairingCode(randomBytes: (count: number) => Uint8Array): string {
  return Array.from(randomBytes(PAIRING_CODE_LENGTH), (byte) => PAIRING_ALPHABET[byte & 31]).join("");
}

/** SHA-256 of the salt's bytes followed by the code, hex. */
export function hashPairingCode(code: string, saltHex: string): string {
  return createHash("sha256").update(Buffer.from(saltHex, "hex")).update(normalCode(code)).digest("hex");
}

export function mayApprove(
  state: { lockedUntil?: number | undefined },
  now: number,
): Permission<"locked_out"> {
  const locked = (state.lockedUntil ?? 0) - now;
  return locked > 0 ? later("locked_out", locked) : { ok: true };
}

/** The platform's counters after a wrong code. The fifth locks pairing for an hour and resets the counter. */
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

/** Compares with every pending request in constant time, so the timing reveals nothing about the codes. */
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

function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "hex"), Buffer.from(right, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}

function normalCode(code: string): string {
  return code.trim().toUpperCase();
}
