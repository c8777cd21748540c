import { describe, expect } from "vitest";
import type { TextLimits } from "../../src/adapters/adapter.js";
import type { SendError } from "../../src/errors.js";
import type { InboundMessage } from "../../src/message.js";
import { until } from "../support/until.js";
import { connected, open, type Platform, type Scene } from "./stage.js";
import { answer, expectNoSecret, expectTellable, failure, needing, soon } from "./tell.js";

/** Connected, and somebody waits for an answer. */
async function asked(platform: Platform, hasty = false): Promise<Scene & { question: InboundMessage }> {
  const scene = await connected(platform, { hasty });
  scene.dm.say("a question");
  return { ...scene, question: await scene.inbox.message("a question") };
}

export function sending(platform: Platform): void {
  describe("sends", () => {
    needing(platform, "network")("nothing before it is connected, and says that it didn't", async () => {
      const { adapter, stage, dm } = await open(platform);
      const { platform: name, account } = adapter;
      const target = { platform: name, account, chatType: "dm", chatId: "1", threadId: null };
      const message = answer({ ...target, userId: null, replyTo: null }, "hi");
      expect((await failure(adapter.send(message, soon()))).outcome).toBe("never_sent");
      expect(stage.posts()).toBe(0);
      expect(dm.seen()).toEqual([]);
    });

    needing(platform, "splitting")("a long answer in parts that the platform takes, in order", async () => {
      const { adapter, dm, question } = await asked(platform);
      const words = Array.from({ length: Math.ceil((2.2 * adapter.limits.length) / 6) }, (_, i) => `w${i}`);
      const receipt = await adapter.send(answer(question, words.join(" ")), soon());
      const seen = dm.seen();
      expect(seen.length).toBeGreaterThan(1);
      expect(seen.map(({ id }) => id)).toEqual(receipt.messageIds);
      for (const { text } of seen)
        expect(lengthOf(text, adapter.limits)).toBeLessThanOrEqual(adapter.limits.length);
      expect(seen.flatMap(({ text }) => text.match(/\bw\d+\b/g) ?? [])).toEqual(words);
    });

    needing(platform, "quotes")("with the question quoted in the first part alone", async () => {
      const { adapter, dm, question } = await asked(platform);
      await adapter.send(answer(question, "word ".repeat(adapter.limits.length / 4)), soon());
      const [first, ...others] = dm.seen().map(({ replyTo }) => replyTo);
      expect(first).toBe(question.origin.messageId);
      expect(others).toEqual(others.map(() => null));
      expect(others.length).toBeGreaterThan(0);
    });

    needing(platform, "quotes")("an answer to a question that was taken back", async () => {
      const { adapter, dm, question } = await asked(platform);
      dm.remove();
      await adapter.send(answer(question, "here"), soon());
      expect(dm.seen()).toMatchObject([{ text: "here", replyTo: null }]);
    });

    needing(platform, "refusals")("no empty answer", async () => {
      const { adapter, stage, question } = await asked(platform);
      const error = await failure(adapter.send(answer(question, " \n "), soon()));
      expect(error.outcome).toBe("refused");
      expect(stage.posts()).toBe(0);
    });

    needing(platform, "refusals")("no answer to nowhere", async () => {
      const { adapter, stage, question } = await asked(platform);
      const { target } = answer(question, "");
      const lost = { ...target, chatId: null, threadId: null };
      const error = await failure(adapter.send(answer(lost, "hi"), soon()));
      expect(error.outcome).toBe("refused");
      expect(stage.posts()).toBe(0);
    });
  });

  describe("a send that fails", () => {
    needing(platform, "refusals")("because the platform says no is refused, with what to do", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      stage.refuse();
      const error = await failure(adapter.send(answer(question, "hi"), soon()));
      expect(error).toMatchObject({ outcome: "refused", scope: "chat" });
      expectTellable(error.message, stage.secrets);
      expect(stage.posts()).toBe(1);
      expect(dm.seen()).toEqual([]);
    });

    needing(platform, "limits")(
      "because it is too much says how long to wait, and isn't tried again",
      async () => {
        const { adapter, stage, dm, question } = await asked(platform);
        stage.limit(20);
        const error = await failure(adapter.send(answer(question, "hi"), soon()));
        expect(error.outcome).toBe("never_sent");
        // Platforms round up, and make it longer for those who ask on.
        expect(error.retryAfterMs).toBeGreaterThanOrEqual(19_000);
        expect(error.retryAfterMs).toBeLessThanOrEqual(50_000);
        expect(stage.posts()).toBe(1);
        expect(dm.seen()).toEqual([]);
      },
    );

    needing(platform, "doubt")("without an answer may have arrived, and isn't tried again", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      stage.drop();
      const error = await failure(adapter.send(answer(question, "hi"), soon()));
      expect(error.outcome).toBe("unknown");
      expectTellable(error.message, stage.secrets);
      expect(stage.posts()).toBe(1);
      expect(dm.seen()).toHaveLength(1);
    });

    needing(platform, "doubt")("for want of an answer in time may have arrived", async () => {
      const { adapter, stage, dm, question } = await asked(platform, true);
      stage.stall();
      const error = await failure(adapter.send(answer(question, "hi"), soon()));
      expect(error.outcome).toBe("unknown");
      await until("it has arrived", () => dm.seen().length === 1);
      expect(stage.posts()).toBe(1);
    });

    needing(
      platform,
      "doubt",
      "recognition",
    )("in doubt is recognised, and not said twice", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      stage.drop();
      const message = answer(question, "hi");
      await failure(adapter.send(message, soon()));
      const [arrived] = dm.seen();
      const receipt = await adapter.send({ ...message, mayBeRepeat: true }, soon());
      expect(receipt.messageIds).toEqual([arrived!.id]);
      expect(dm.seen()).toEqual([arrived]);
    });

    needing(platform, "network")("because nobody is there never left", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      await stage.goDown();
      // The first attempt may go into a connection that is about to die.
      const errors: SendError[] = [];
      await until("it is certain", async () => {
        errors.push(await failure(adapter.send(answer(question, "hi"), soon())));
        return errors.at(-1)!.outcome === "never_sent";
      });
      for (const { outcome, message } of errors) {
        expect(outcome).not.toBe("refused");
        expectNoSecret(message, stage.secrets);
      }
      expect(dm.seen()).toEqual([]);
    });

    needing(platform, "network")("for want of time never left", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      const error = await failure(adapter.send(answer(question, "hi"), AbortSignal.abort()));
      expect(error.outcome).toBe("never_sent");
      expect(stage.posts()).toBe(0);
      expect(dm.seen()).toEqual([]);
    });

    needing(platform, "credentials")("because the token was revoked waits for the operator", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      stage.revokeToken();
      const error = await failure(adapter.send(answer(question, "hi"), soon()));
      expect(error).toMatchObject({ outcome: "never_sent", scope: "account" });
      expectTellable(error.message, stage.secrets);
      expect(dm.seen()).toEqual([]);
    });
  });
}

function lengthOf(text: string, { unit }: TextLimits): number {
  return unit === "utf16" ? text.length : [...text].length;
}
