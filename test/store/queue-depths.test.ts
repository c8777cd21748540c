import { describe, expect, it } from "vitest";
import { nowSeconds } from "../../src/clock.js";
import type { InboundMessage } from "../../src/message.js";
import { tempStore } from "../support/temp.js";

const KEY = "agent:main:test:dm:7";
const DAY = 86_400;

function message(eventId: string): InboundMessage {
  return {
    platform: "test",
    account: "bot",
    eventId,
    origin: { platform: "test", chatType: "dm", chatId: "7", userId: "7" },
    text: eventId,
    attachments: [],
    sentAt: 1,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
  };
}

describe("queue depths", () => {
  it("are all zero in a new store", async () => {
    const { store } = await tempStore();
    const { inbox, outbox, dueSince, misdated } = await store.reports.queueDepths();
    expect(inbox).toEqual({ waiting: 0, running: 0, dead: 0 });
    expect(outbox).toEqual({ pending: 0, sending: 0, unknown: 0, dead: 0 });
    expect(dueSince).toEqual({ waiting: null, running: null, pending: null, sending: null });
    expect(misdated).toBe(0);
  });

  it("count open rows and date the oldest one whose pause is over", async () => {
    const { store } = await tempStore();
    const accepted = ["a", "b", "c"].map((id, i) => ({
      message: message(id),
      sessionKey: KEY,
      receivedAt: 10 + i,
    }));
    const [a] = await store.acceptMessages(accepted);
    const { origin } = message("a");
    await store.switchRoute({
      ...{ sessionKey: KEY, origin, tuple: "t", session: { id: "s1", source: "test" } },
      ...{ expectedSessionId: null, endReason: "session_reset", at: 1 },
    });
    await store.startTurn({ sessionKey: KEY, inboxIds: [a!.id], bootId: "x", turnId: "t1", at: 20 });
    const target = {
      ...{ platform: "test", account: "bot", chatType: "dm", chatId: "7" },
      ...{ threadId: null, userId: null, replyTo: null },
    };
    await store.enqueueReply({ target, kind: "notice", text: "hello" });
    const seen = await store.reports.queueDepths();
    expect(seen.inbox).toMatchObject({ waiting: 2, running: 1 });
    expect(seen.dueSince).toMatchObject({ waiting: 11, running: 20 });
    expect(seen.outbox.pending).toBe(1);
    const [row] = await store.claimDeliveries("x", 1);
    expect((await store.reports.queueDepths()).outbox.sending).toBe(1);
    await store.settleDelivery(
      row!.id,
      {
        state: "pending",
        waitSeconds: 60,
        error: "busy",
        mayBeRepeat: false,
      },
      "x",
    );
    const paused = await store.reports.queueDepths();
    expect(paused.outbox.pending).toBe(1);
    expect(paused.dueSince.pending).toBeNull();
  });
});

describe("retention", () => {
  it("counts ended sessions that are too old", async () => {
    const { store } = await tempStore();
    const old = nowSeconds() - 100 * DAY;
    for (const id of ["old", "open", "young"])
      await store.createSession({ id, source: "test", started_at: id === "young" ? nowSeconds() : old });
    await store.endSession("old", "session_reset");
    await store.endSession("young", "session_reset");
    await store.appendMessages("open", [{ role: "user", content: "hi", timestamp: 42 }]);
    expect(await store.pruneSessions({ olderThanDays: 90, dryRun: true })).toMatchObject({
      sessions: 1,
      messages: 0,
    });
    expect(await store.pruneSessions({ olderThanDays: 200, dryRun: true })).toMatchObject({
      sessions: 0,
      messages: 0,
    });
    expect(await store.reports.stats()).toMatchObject({ newestMessageAt: 42 });
  });
});
