import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayRequestPairing } from "../../src/pairing-limits.js";
import {
  afterFailedApproval,
  hashPairingCode,
  matchPairing,
  mayApprove,
  newPairingCode,
  PAIRING_ALPHABET,
} from "../../src/policies/pairing.js";

const now = 1_800_000_000;

describe("a pairing code", () => {
  it("has eight characters of the alphabet, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        expect(newPairingCode(() => bytes)).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
      }),
    );
  });

  it("uses every character equally often", () => {
    const letters = Array.from(
      { length: 256 },
      (_, byte) => newPairingCode(() => new Uint8Array(8).fill(byte))[0],
    );
    for (const letter of PAIRING_ALPHABET) expect(letters.filter((l) => l === letter)).toHaveLength(8);
  });

  it("is hashed as salt bytes followed by the upper-case code", () => {
    const expected = createHash("sha256").update(
      Buffer.concat([Buffer.from([0, 0xff]), Buffer.from("ABCD2345")]),
    );
    expect(hashPairingCode(" abcd2345 ", "00ff")).toBe(expected.digest("hex"));
  });
});

describe("requesting a code", () => {
  const pending = (...ages: number[]) => ages.map((age) => ({ createdAt: now - age }));

  it("is allowed for a new user", () => {
    expect(mayRequestPairing({ pending: [] }, now)).toEqual({ ok: true });
  });

  it("is allowed once in 600 seconds", () => {
    expect(mayRequestPairing({ pending: [], lastRequestAt: now - 599 }, now)).toEqual({
      ok: false,
      reason: "too_soon",
      retryAfterSeconds: 1,
    });
    expect(mayRequestPairing({ pending: [], lastRequestAt: now - 600 }, now).ok).toBe(true);
  });

  it("waits while three requests are pending, until the oldest expires", () => {
    expect(mayRequestPairing({ pending: pending(10, 3000, 20) }, now)).toEqual({
      ok: false,
      reason: "too_many_pending",
      retryAfterSeconds: 600,
    });
    expect(mayRequestPairing({ pending: pending(10, 3601, 20) }, now).ok).toBe(true);
  });

  it("is rejected during a lockout, before other checks", () => {
    const state = { pending: pending(1, 2, 3), lastRequestAt: now, lockedUntil: now + 9.5 };
    expect(mayRequestPairing(state, now)).toEqual({ ok: false, reason: "locked_out", retryAfterSeconds: 10 });
    expect(mayRequestPairing({ pending: [], lockedUntil: now }, now).ok).toBe(true);
  });
});

describe("approving", () => {
  it("is locked for an hour after the fifth wrong code, and the counter restarts", () => {
    let state: { failures: number; lockedUntil?: number } = { failures: 0 };
    for (let i = 0; i < 4; i++) state = afterFailedApproval(state.failures, now);
    expect(mayApprove(state, now)).toEqual({ ok: true });
    state = afterFailedApproval(state.failures, now);
    expect(state).toEqual({ failures: 0, lockedUntil: now + 3600 });
    expect(mayApprove(state, now + 3599)).toEqual({ ok: false, reason: "locked_out", retryAfterSeconds: 1 });
    expect(mayApprove(state, now + 3600)).toEqual({ ok: true });
  });

  const request = (code: string, salt: string, age: number, userId: string) => ({
    hash: hashPairingCode(code, salt),
    salt,
    createdAt: now - age,
    userId,
  });
  const pendings = [
    request("AAAA2222", "01", 10, "alice"),
    request("BBBB3333", "02", 3600, "bob"),
    request("CCCC4444", "03", 3601, "carol"),
  ];

  it("finds the request by its code, case-insensitively, up to the last second", () => {
    expect(matchPairing("aaaa2222", pendings, now)).toMatchObject({ ok: true, pending: { userId: "alice" } });
    expect(matchPairing("BBBB3333", pendings, now)).toMatchObject({ ok: true, pending: { userId: "bob" } });
  });

  it("distinguishes expired from unknown codes", () => {
    expect(matchPairing("CCCC4444", pendings, now)).toEqual({ ok: false, reason: "expired" });
    expect(matchPairing("DDDD5555", pendings, now)).toEqual({ ok: false, reason: "unknown_code" });
  });

  it("skips a damaged row", () => {
    const damaged = { ...pendings[0]!, hash: "not hex" };
    expect(matchPairing("AAAA2222", [damaged, ...pendings], now)).toMatchObject({
      pending: { userId: "alice" },
    });
  });
});
