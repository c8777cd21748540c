import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.js";
import { nowSeconds } from "../../src/clock.js";
import type { InboundMessage } from "../../src/message.js";
import { send } from "../support/send.js";
import { until } from "../support/until.js";
import { connected, type Platform } from "./stage.js";
import { answer, needing, soon } from "./tell.js";

export function receiving(platform: Platform): void {
  describe("receives", () => {
    it.each(platform.kinds)("a message, and sends the answer to its chat only: %s", async (kind) => {
      const { stage, inbox, adapter } = await connected(platform);
      const place = stage.place(kind);
      const startedAt = nowSeconds();
      place.say("hello there");
      const message = await inbox.message("hello there");
      expectWellFormed(message, adapter, startedAt);
      expect(message.origin).toMatchObject(place.origin);
      expect(message.mentioned || message.origin.chatType === "dm").toBe(true);
      const receipt = await send(adapter, answer(message, "an answer"), soon());
      await until("it is seen", () => place.seen().length > 0);
      expect(place.seen()).toMatchObject([{ id: receipt.messageIds[0], text: "an answer" }]);
      for (const other of platform.kinds)
        if (other !== kind) expect(stage.place(other).seen(), other).toEqual([]);
    });

    needing(platform, "acknowledgement")(
      "a message and acknowledges it only when the inbox has it",
      async () => {
        const { stage, inbox, dm } = await connected(platform);
        inbox.hold();
        dm.say("hello");
        await until("it is offered", () => inbox.offered.length === 1);
        expect(stage.acknowledged()).toBe(false);
        inbox.letIn();
        await until("it is acknowledged", () => stage.acknowledged());
        expect(inbox.texts).toEqual(["hello"]);
      },
    );

    needing(platform, "redelivery")(
      "a message again, as the same event, after the inbox failed",
      async () => {
        const { stage, inbox, dm } = await connected(platform);
        inbox.failures = 2;
        dm.say("hello");
        await inbox.message("hello");
        expect(inbox.offered.length).toBeGreaterThan(2);
        expect(new Set(inbox.offered).size).toBe(1);
        await until("it is acknowledged", () => stage.acknowledged());
      },
    );

    needing(platform, "repeats")("a message that is delivered twice as one event", async () => {
      const { stage, inbox, dm } = await connected(platform);
      stage.repeat();
      dm.say("hello");
      await until("the copy is there", () => inbox.copies.length > 0);
      expect(new Set(inbox.offered).size).toBe(1);
      dm.say("goodbye");
      await inbox.message("goodbye");
      expect(new Set(inbox.offered).size).toBe(2);
    });

    it("messages in order while the inbox is slow", async () => {
      const { stage, inbox } = await connected(platform);
      const place = stage.place(platform.kinds.at(-1)!);
      inbox.hold();
      for (const text of ["one", "two", "three"]) place.say(text);
      await until("the first is offered", () => inbox.offered.length > 0);
      inbox.letIn();
      await inbox.message("three");
      expect(inbox.texts).toEqual(["one", "two", "three"]);
    });

    needing(platform, "nonsense")("messages among unknown and malformed events", async () => {
      const { stage, inbox, adapter, dm } = await connected(platform);
      stage.babble();
      dm.say("still here");
      await inbox.message("still here");
      expect(inbox.texts).toEqual(["still here"]);
      await until("everything is acknowledged", () => stage.acknowledged());
      expect(adapter.health().state).toBe("ok");
    });

    needing(platform, "absence")("messages that were written while it was disconnected, once", async () => {
      const { stage, inbox, adapter, stop, dm } = await connected(platform);
      dm.say("before");
      await inbox.message("before");
      await adapter.disconnect();
      dm.say("meanwhile");
      await stage.adapter().connect(inbox, stop.signal);
      await inbox.message("meanwhile");
      dm.say("after");
      await inbox.message("after");
      expect(inbox.texts).toEqual(["before", "meanwhile", "after"]);
    });

    needing(platform, "edits")("an edit with the id of its message", async () => {
      const { inbox, dm } = await connected(platform);
      dm.say("helo");
      const message = await inbox.message("helo");
      dm.edit("hello");
      await until("the edit is reported", () => inbox.edits.length > 0);
      expect(inbox.edits).toEqual([{ ...refOf(message), text: "hello" }]);
      expect(inbox.texts).toEqual(["helo"]);
    });

    needing(platform, "deletes")("the deletion of a message", async () => {
      const { inbox, dm } = await connected(platform);
      dm.say("hello");
      const message = await inbox.message("hello");
      dm.remove();
      await until("the deletion is reported", () => inbox.deletes.length > 0);
      expect(inbox.deletes).toEqual([refOf(message)]);
    });
  });
}

function expectWellFormed(message: InboundMessage, adapter: Adapter, startedAt: number): void {
  const { platform, account, eventId, origin, sentAt, attachments, isBot, authenticated } = message;
  const given = expect.stringMatching(/./);
  expect({ platform, account, eventId }).toEqual({
    platform: adapter.platform,
    account: adapter.account,
    eventId: given,
  });
  expect(origin).toMatchObject({
    platform: adapter.platform,
    chatType: expect.stringMatching(/^(dm|group|channel|thread|webhook)$/),
    chatId: given,
    userId: given,
    messageId: given,
  });
  for (const optional of [origin.threadId, origin.chatName, origin.userName])
    expect(optional ?? null).toSatisfy(
      (value) => value === null || (typeof value === "string" && value !== ""),
    );
  expect(attachments).toEqual([]);
  expect({ isBot, authenticated: typeof authenticated }).toEqual({ isBot: false, authenticated: "boolean" });
  // A platform's clock may count whole seconds.
  expect(sentAt).toBeGreaterThan(startedAt - 1.1);
  expect(sentAt).toBeLessThan(nowSeconds() + 1);
  // The inbox keeps it as JSON.
  expect(JSON.parse(JSON.stringify(message))).toEqual(message);
}

function refOf({ platform, account, origin }: InboundMessage) {
  return { platform, account, chatId: origin.chatId, messageId: origin.messageId };
}
