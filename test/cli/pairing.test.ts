import { describe, expect, it } from "vitest";
import { nowSeconds } from "../../src/clock.js";
import { hashPairingCode, MAX_FAILED_APPROVALS, PAIRING_TTL_SECONDS } from "../../src/policies/pairing.js";
import type { Store } from "../../src/store/store.js";
import { storeIn } from "./support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

const SALT = "00ff";

function request(store: Store, userId: string, code: string, age = 0) {
  const createdAt = nowSeconds() - age;
  const hash = hashPairingCode(code, SALT);
  return store.addPairing({
    id: `id-${userId}`,
    platform: "telegram",
    userId,
    userName: "Zoë",
    hash,
    salt: SALT,
    createdAt,
  });
}

async function homeWith(...requests: [userId: string, code: string, age?: number][]): Promise<string> {
  const home = temporaryFolder();
  await storeIn(home, async (store) => {
    for (const one of requests) await request(store, ...one);
  });
  return home;
}

interface Listed {
  pending: Record<string, unknown>[];
  approved: Record<string, unknown>[];
}

describe("hermes pairing", () => {
  it("lists requests and approved people, and never a hash", async () => {
    const home = await homeWith(["7", "AAAABBBB"], ["8", "CCCCDDDD", PAIRING_TTL_SECONDS + 60]);
    const text = await hermes(home, "pairing", "list");
    expect(text).toMatch(/telegram +7 +Zoë +60m left/);
    expect(text).toContain("No one is approved yet.");
    const listed = await hermesJson<Listed>(home, "pairing", "list");
    expect(listed.pending).toEqual([
      {
        id: "id-7",
        platform: "telegram",
        userId: "7",
        userName: "Zoë",
        createdAt: expect.any(Number),
        expiresAt: expect.any(Number),
      },
    ]);
  });

  it("approves a code in any case, of a platform in any case, once", async () => {
    const home = await homeWith(["7", "AAAABBBB"]);
    expect(await hermes(home, "pairing", "approve", "Telegram", "aaaabbbb")).toBe(
      "Approved Zoë (7) on telegram.\n",
    );
    expect((await storeIn(home, (store) => store.pairingState("telegram", ["7"]))).isPaired).toBe(true);
    expect(await hermes(home, "pairing", "list")).toMatch(
      /No pending requests[\s\S]*telegram +7 +Zoë +just now/,
    );
    expect((await runHermes(home, ["pairing", "approve", "telegram", "AAAABBBB"])).code).toBe(1);
  });

  it("knows a code only on its own platform, and not after its hour", async () => {
    const home = await homeWith(["7", "AAAABBBB"], ["8", "CCCCDDDD", PAIRING_TTL_SECONDS + 60]);
    const elsewhere = await runHermes(home, ["pairing", "approve", "discord", "AAAABBBB"]);
    expect(elsewhere.stderr).toMatch(/^error: That code is not known on discord\./);
    const late = await runHermes(home, ["pairing", "approve", "telegram", "CCCCDDDD"]);
    expect(late).toMatchObject({ code: 1, stdout: "" });
    expect(late.stderr).toMatch(/^error: That code has expired on telegram\./);
  });

  it("locks after five wrong codes, also for the right one, and only that platform", async () => {
    const home = await homeWith(["7", "AAAABBBB"]);
    const failed = { platform: "telegram", failures: MAX_FAILED_APPROVALS - 2, lockedUntil: null };
    await storeIn(home, (store) => store.settlePairing(failed));
    const wrong = () => runHermes(home, ["pairing", "approve", "telegram", "WRONGWRO"]);
    expect((await wrong()).stderr).not.toContain("locked");
    expect((await wrong()).stderr).toContain("pairing is locked for an hour");
    const locked = await runHermes(home, ["pairing", "approve", "telegram", "AAAABBBB"]);
    expect(locked.code).toBe(1);
    expect(locked.stderr).toMatch(
      /^error: Too many wrong codes: pairing on telegram is locked\.\nTry again in (59|60) minutes\./,
    );
    expect((await storeIn(home, (store) => store.pairingState("telegram", ["7"]))).isPaired).toBe(false);
    expect((await storeIn(home, (store) => store.pairingState("discord", ["7"]))).lockedUntil).toBeNull();
  });

  it("revokes an approval", async () => {
    const home = await homeWith(["7", "AAAABBBB"]);
    await hermes(home, "pairing", "approve", "telegram", "AAAABBBB");
    expect(await hermesJson(home, "pairing", "revoke", "telegram", "7")).toEqual({
      revoked: { platform: "telegram", userId: "7" },
    });
    expect((await storeIn(home, (store) => store.pairingState("telegram", ["7"]))).isPaired).toBe(false);
    const again = await runHermes(home, ["pairing", "revoke", "telegram", "7"]);
    expect(again.stderr).toMatch(/^error: 7 is not paired on telegram\./);
  });

  it("clears requests without affecting approved people", async () => {
    const home = await homeWith(["7", "AAAABBBB"], ["8", "CCCCDDDD"], ["9", "EEEEFFFF"]);
    await hermes(home, "pairing", "approve", "telegram", "AAAABBBB");
    expect(await hermes(home, "pairing", "clear-pending")).toBe("Cleared 2 requests.\n");
    const { pending, approved } = await hermesJson<Listed>(home, "pairing", "list");
    expect([pending, approved.map(({ userId }) => userId)]).toEqual([[], ["7"]]);
  });

  it("doesn't create a database", async () => {
    const home = temporaryFolder();
    expect(await hermesJson(home, "pairing", "list")).toEqual({ pending: [], approved: [] });
    expect(await hermes(home, "pairing", "clear-pending")).toBe("Cleared 0 requests.\n");
    expect((await runHermes(home, ["pairing", "approve", "telegram", "AAAABBBB"])).stderr).toContain(
      "no database",
    );
  });
});
