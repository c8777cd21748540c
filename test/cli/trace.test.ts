import { describe, expect, it } from "vitest";
import { type InboundMessage, targetOf } from "../../src/message.js";
import type { Trace } from "../../src/store/reports.js";
import type { Store } from "../../src/store/store.js";
import { storeIn } from "./support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

const KEY = "agent:main:telegram:dm:7";
const AT = 1781601323;

function inbound(eventId: string, text: string): InboundMessage {
  return {
    platform: "telegram",
    account: "bot",
    eventId,
    origin: {
      platform: "telegram",
      chatType: "dm",
      chatId: "7",
      userId: "7",
      userName: "Zoë",
      messageId: `m${eventId}`,
    },
    text,
    attachments: [],
    sentAt: AT,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
  };
}

async function accept(store: Store, eventId: string, text: string): Promise<number> {
  const [row] = await store.acceptMessages([
    { message: inbound(eventId, text), sessionKey: KEY, receivedAt: AT + 1 },
  ]);
  return row!.id;
}

/** A message that was answered and delivered, and one that was refused. */
async function twoMessages(): Promise<string> {
  const home = temporaryFolder();
  await storeIn(home, async (store) => {
    await store.switchRoute({
      sessionKey: KEY,
      origin: inbound("1", "").origin,
      tuple: "t",
      session: { id: "s1", source: "telegram" },
      expectedSessionId: null,
      endReason: "session_reset",
      at: AT,
    });
    const id = await accept(store, "1", "hello \u001b[31mthere");
    const turn = await store.startTurn({
      sessionKey: KEY,
      inboxIds: [id],
      bootId: "b",
      turnId: "turn-1",
      at: AT + 2,
    });
    const target = {
      platform: "telegram",
      account: "bot",
      chatType: "dm",
      chatId: "7",
      threadId: null,
      userId: "7",
      replyTo: null,
    };
    await store.finishTurn({
      turnId: "turn-1",
      sessionKey: KEY,
      sessionId: "s1",
      epoch: turn!.epoch,
      inboxIds: [id],
      messages: [],
      usage: {},
      participants: [],
      replies: [{ target, kind: "answer", text: "hi" }],
    });
    const [delivery] = await store.claimDeliveries("b", 10);
    await store.settleDelivery(delivery!.id, { state: "sent", messageIds: ["900"] }, "b");
    const refused = await accept(store, "2", "let me in");
    await store.settleMessage({ inboxId: refused, state: "refused", reason: "not_listed", replies: [] });
  });
  return home;
}

describe("hermes trace", () => {
  it("shows how many parts of a long answer were sent", async () => {
    const home = temporaryFolder();
    await storeIn(home, async (store) => {
      const inboxId = await accept(store, "1", "tell me more");
      const reply = { target: targetOf(inbound("1", "")), kind: "notice", text: "long" } as const;
      await store.settleMessage({ inboxId, state: "refused", reason: "not_listed", replies: [reply] });
      const [row] = await store.claimDeliveries("b", 1);
      await store.saveParts(row!.id, [{ part: { text: "1" } }, { part: { text: "2" } }], "b");
      await store.saveParts(row!.id, { index: 0, ids: ["m-1"] }, "b");
    });
    expect(await hermes(home, "trace", "in:1")).toMatch("sending 1 of 2 parts sent message m-1");
  });

  it("shows the timeline of an answered message, by any of its ids", async () => {
    const home = await twoMessages();
    const text = await hermes(home, "trace", "in:1");
    expect(text).toMatch(/^in:1 {2}done/);
    for (const part of [
      "hello there",
      "Zoë",
      KEY,
      "s1",
      "accepted",
      "turn started",
      "turn-1",
      "answer sent",
      "message 900",
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("\u001b");
    for (const reference of ["1", "m1", "900"]) expect(await hermes(home, "trace", reference)).toBe(text);
  });

  it("shows why a message got no answer", async () => {
    const home = await twoMessages();
    expect(await hermes(home, "trace", "m2")).toMatch(/^in:2 {2}refused: not_listed\n/);
    const [trace] = await hermesJson<Trace[]>(home, "trace", "m2");
    expect(trace).toMatchObject({ reason: "not_listed", inbox: { state: "refused" }, deliveries: [] });
  });

  it("reports an unknown message or a missing database", async () => {
    for (const home of [await twoMessages(), temporaryFolder()]) {
      const ran = await runHermes(home, ["trace", "nobody"]);
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toMatch(/^error: No message 'nobody' found\./);
    }
  });
});
