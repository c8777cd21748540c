import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { nowSeconds } from "../../src/clock.js";
import type { InboundMessage, Target } from "../../src/message.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { tempStore } from "../support/temp.js";

/** Waits in a file that processes with other clocks have written. */

const HOURS = 2 * 3600;
const target: Target = {
  ...{ platform: "test", account: "bot", chatType: "dm", chatId: "7" },
  ...{ threadId: null, userId: null, replyTo: null },
};

function message(eventId: string): InboundMessage {
  return {
    ...{ platform: "test", account: "bot", eventId, text: "hi", attachments: [], sentAt: 1 },
    origin: { platform: "test", chatType: "dm", chatId: "7", userId: "ann" },
    ...{ mentioned: false, repliedToBot: false, threadWithBot: false, isBot: false, authenticated: true },
  };
}

/** One message and one answer that wait so long, as a process left them whose clock was so far ahead. */
async function left({ seconds, ahead = 0 }: { seconds: number; ahead?: number }) {
  const { store, file } = await tempStore();
  const [row] = await store.acceptMessages([{ message: message("a"), sessionKey: "k", receivedAt: 1 }]);
  const id = await store.enqueueReply({ target, kind: "notice", text: "hello" });
  const db = new Database(file, { timeout: 5000 });
  onTestFinished(() => void db.close());
  const setAt = nowSeconds() + ahead;
  for (const [table, of] of [
    ["gw_inbox", row!.id],
    ["gw_outbox", id],
  ] as const)
    db.prepare(`UPDATE ${table} SET not_before = ?, wait_set_at = ? WHERE id = ?`).run(
      setAt + seconds,
      setAt,
      of,
    );
  await penalise(store, seconds);
  db.prepare("UPDATE gw_penalties SET until = ?, set_at = ?").run(setAt + seconds, setAt);
  return { store, db };
}

/** It is stored with the outcome of a send, even if that send isn't ours any more. */
async function penalise(store: OpenedStore, seconds: number): Promise<void> {
  const penalty = { platform: "test", account: "bot", chatId: "7", seconds };
  const outcome = { state: "pending", waitSeconds: 0, error: "slow down", mayBeRepeat: false } as const;
  await store.settleDelivery(999, { ...outcome, penalty }, "boot");
}

async function penaltySeconds(store: OpenedStore): Promise<number> {
  const { penalties } = await store.recover("boot", 3, { dead: "", interrupted: "" });
  return penalties[0]!.seconds;
}

const isAbout = (seconds: number) => expect.closeTo(seconds, -1);

describe("a pause that was set in the future", () => {
  it("starts again now, because the clock was set back", async () => {
    const { store } = await left({ seconds: 60, ahead: HOURS });
    expect((await store.openMessages())[0]!.waitSeconds).toBeCloseTo(60);
    expect(await store.backlog()).toMatchObject({ misdated: 2 });
    expect((await store.reports.queueDepths()).misdated).toBe(2);
    expect((await store.retry("misdated")).retried).toBe(3);
    expect((await store.retry("misdated")).retried).toBe(0);
    expect((await store.openMessages())[0]!.waitSeconds).toEqual(isAbout(60));
    expect(await penaltySeconds(store)).toEqual(isAbout(60));
    expect(await store.backlog()).toMatchObject({ misdated: 0, ready: { inbox: null, outbox: null } });
  });

  it("is over when its length has passed since it restarted", async () => {
    const { store } = await left({ seconds: 0.01, ahead: HOURS });
    expect(await store.claimDeliveries("boot", 1)).toEqual([]);
    await store.retry("misdated");
    await expect.poll(() => store.claimDeliveries("boot", 1)).toHaveLength(1);
  });
});

describe("a long pause that a platform imposed", () => {
  it("isn't changed", async () => {
    const { store } = await left({ seconds: HOURS, ahead: -10 });
    expect((await store.retry("misdated")).retried).toBe(0);
    expect(await penaltySeconds(store)).toEqual(isAbout(HOURS - 10));
    expect(await store.backlog()).toMatchObject({ misdated: 0 });
    expect(await store.claimDeliveries("boot", 1)).toEqual([]);
  });

  it("is replaced by a new one if it was set in the future", async () => {
    const { store } = await left({ seconds: HOURS, ahead: HOURS });
    await penalise(store, 30);
    expect(await penaltySeconds(store)).toEqual(isAbout(30));
  });
});

describe("a pause of an earlier version without a start", () => {
  it("is cut to the pause after a failure; pauses of the platform stay", async () => {
    const { store, db } = await left({ seconds: HOURS });
    for (const table of ["gw_inbox", "gw_outbox"]) db.prepare(`UPDATE ${table} SET wait_set_at = NULL`).run();
    db.prepare("UPDATE gw_penalties SET set_at = NULL").run();
    await store.retry("misdated");
    expect((await store.openMessages())[0]!.waitSeconds).toEqual(isAbout(300));
    expect(await penaltySeconds(store)).toEqual(isAbout(HOURS));
  });
});
