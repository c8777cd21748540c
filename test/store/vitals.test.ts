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

describe("vitals", () => {
  it("of a new store are all nothing", async () => {
    const { store } = await tempStore();
    const none = { count: 0, oldestAt: null };
    expect(await store.vitals(90)).toEqual({
      ...{ waiting: none, running: none, pending: none, sending: none },
      ...{ misdated: 0, prunable: 0, newestMessageAt: null },
    });
  });

  it("count what is open, and since when the oldest is that could go on", async () => {
    const { store } = await tempStore();
    const accepted = ["a", "b", "c"].map((id, i) => ({
      message: message(id),
      sessionKey: KEY,
      receivedAt: 10 + i,
    }));
    const [a] = await store.acceptMessages(accepted);
    const { origin } = message("a");
    await store.openRoute({
      ...{ sessionKey: KEY, origin, tuple: "t", session: { id: "s1", source: "test" } },
      ...{ expectedSessionId: null, endReason: "session_reset", at: 1 },
    });
    await store.startTurn({ sessionKey: KEY, inboxIds: [a!.id], bootId: "x", turnId: "t1", at: 20 });
    const target = {
      ...{ platform: "test", account: "bot", chatType: "dm", chatId: "7" },
      ...{ threadId: null, userId: null, replyTo: null },
    };
    await store.enqueueReply({ target, kind: "notice", text: "hello" });
    const seen = await store.vitals(90);
    expect(seen.waiting).toEqual({ count: 2, oldestAt: 11 });
    expect(seen.running).toEqual({ count: 1, oldestAt: 20 });
    expect(seen.pending.count).toBe(1);
    const [row] = await store.claimDeliveries("x", 1);
    expect((await store.vitals(90)).sending.count).toBe(1);
    await store.settleDelivery(row!.id, {
      state: "pending",
      waitSeconds: 60,
      error: "busy",
      mayBeRepeat: false,
    });
    expect((await store.vitals(90)).pending).toEqual({ count: 1, oldestAt: null });
  });

  it("count the ended sessions that are too old, and know the newest message", async () => {
    const { store } = await tempStore();
    const old = nowSeconds() - 100 * DAY;
    for (const id of ["old", "open", "young"])
      await store.createSession({ id, source: "test", started_at: id === "young" ? nowSeconds() : old });
    await store.endSession("old", "session_reset");
    await store.endSession("young", "session_reset");
    await store.appendMessages("open", [{ role: "user", content: "hi", timestamp: 42 }]);
    expect(await store.vitals(90)).toMatchObject({ prunable: 1, newestMessageAt: 42 });
    expect((await store.vitals(200)).prunable).toBe(0);
  });
});
