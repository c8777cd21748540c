import { setTimeout as pause } from "node:timers/promises";
import { describe, expect } from "vitest";
import type { Adapter, TextLimits } from "../../src/adapters/adapter.js";
import type { SendError } from "../../src/errors.js";
import type { InboundMessage } from "../../src/message.js";
import { type Outgoing, send } from "../support/send.js";
import { until } from "../support/until.js";
import { connected, type Feature, open, type Platform, type Scene, type Stage } from "./stage.js";
import { answer, expectNoSecret, expectTellable, failure, needing, soon } from "./tell.js";

/** Connected, with a question that waits for an answer. */
async function asked(platform: Platform, hasty = false): Promise<Scene & { question: InboundMessage }> {
  const scene = await connected(platform, { hasty });
  scene.dm.say("a question");
  return { ...scene, question: await scene.inbox.message("a question") };
}

export function sending(platform: Platform): void {
  describe("sends", () => {
    needing(platform, "network")("nothing before it is connected, and reports it as never sent", async () => {
      const { adapter, stage, dm } = await open(platform);
      const { platform: name, account } = adapter;
      const target = { platform: name, account, chatType: "dm", chatId: "1", threadId: null };
      const message = answer({ ...target, userId: null, replyTo: null }, "hi");
      expect((await failure(send(adapter, message, soon()))).outcome).toBe("never_sent");
      expect(stage.posts()).toBe(0);
      expect(dm.seen()).toEqual([]);
    });

    needing(platform, "splitting")(
      "a long answer in order, in parts within the platform's limit",
      async () => {
        const { adapter, dm, question } = await asked(platform);
        const words = Array.from({ length: Math.ceil((2.2 * adapter.limits.length) / 6) }, (_, i) => `w${i}`);
        const receipt = await send(adapter, answer(question, words.join(" ")), soon());
        const seen = dm.seen();
        expect(seen.length).toBeGreaterThan(1);
        expect(seen.map(({ id }) => id)).toEqual(receipt.messageIds);
        for (const { text } of seen)
          expect(lengthOf(text, adapter.limits)).toBeLessThanOrEqual(adapter.limits.length);
        expect(seen.flatMap(({ text }) => text.match(/\bw\d+\b/g) ?? [])).toEqual(words);
      },
    );

    needing(platform, "quotes")("an answer that quotes the question in its first part only", async () => {
      const { adapter, dm, question } = await asked(platform);
      await send(adapter, answer(question, "word ".repeat(adapter.limits.length / 4)), soon());
      const [first, ...others] = dm.seen().map(({ replyTo }) => replyTo);
      expect(first).toBe(question.origin.messageId);
      expect(others).toEqual(others.map(() => null));
      expect(others.length).toBeGreaterThan(0);
    });

    needing(platform, "quotes")("an answer to a deleted question", async () => {
      const { adapter, dm, question } = await asked(platform);
      dm.remove();
      await send(adapter, answer(question, "here"), soon());
      expect(dm.seen()).toMatchObject([{ text: "here", replyTo: null }]);
    });

    needing(platform, "refusals")("no empty answer", async () => {
      const { adapter, stage, question } = await asked(platform);
      const error = await failure(send(adapter, answer(question, " \n "), soon()));
      expect(error.outcome).toBe("refused");
      expect(stage.posts()).toBe(0);
    });

    needing(platform, "refusals")("no answer to nowhere", async () => {
      const { adapter, stage, question } = await asked(platform);
      const { target } = answer(question, "");
      const lost = { ...target, chatId: null, threadId: null };
      const error = await failure(send(adapter, answer(lost, "hi"), soon()));
      expect(error.outcome).toBe("refused");
      expect(stage.posts()).toBe(0);
    });
  });

  describe("a long answer that fails in the middle", () => {
    const cases: [string, (stage: Stage) => void, string, Feature[]][] = [
      ["a rate limit", (stage) => stage.limit(1), "never_sent", ["limits"]],
      ["a broken connection", (stage) => stage.drop(), "unknown", ["doubt"]],
    ];
    for (const [what, fail, outcome, features] of cases)
      for (const process of ["the same", "another"])
        needing(
          platform,
          "splitting",
          ...features,
        )(`doesn't repeat earlier parts after ${what}, in ${process} process`, async () => {
          const { adapter, stage, inbox, stop, dm, question } = await asked(platform);
          const message = answer(question, numbered(2.2 * adapter.limits.length));
          const before = await failAfter(1, { adapter, message, stage, fail });
          expect(before.outcome).toBe(outcome);
          const next = process === "the same" ? adapter : await reconnected(adapter);
          const retry = { ...message, mayBeRepeat: outcome === "unknown" };
          // Asking again too early extends the wait.
          await pause((before.retryAfterMs ?? 0) + 100);
          await send(next, retry, soon());
          const texts = dm.seen().map(({ text }) => text);
          const words = texts.map((text) => text.match(WORD) ?? []);
          expect([...new Set(words.flat())]).toEqual(message.text.split(" "));
          expect(repeated(words)).toEqual(repeated(words).filter((i) => texts[i]!.includes(MARK)));

          async function reconnected(old: Adapter): Promise<Adapter> {
            await old.disconnect();
            const other = stage.adapter();
            await other.connect(inbox, stop.signal);
            return other;
          }
        });
  });

  describe("a send that fails", () => {
    needing(platform, "refusals")(
      "because the platform refuses it is reported as refused, with advice",
      async () => {
        const { adapter, stage, dm, question } = await asked(platform);
        stage.refuse();
        const error = await failure(send(adapter, answer(question, "hi"), soon()));
        expect(error).toMatchObject({ outcome: "refused", scope: "chat" });
        expectTellable(error.message, stage.secrets);
        expect(stage.posts()).toBe(1);
        expect(dm.seen()).toEqual([]);
      },
    );

    needing(platform, "limits")(
      "because of a rate limit reports how long to wait, and isn't retried",
      async () => {
        const { adapter, stage, dm, question } = await asked(platform);
        stage.limit(20);
        const error = await failure(send(adapter, answer(question, "hi"), soon()));
        expect(error.outcome).toBe("never_sent");
        // Platforms round up, and may extend the wait.
        expect(error.retryAfterMs).toBeGreaterThanOrEqual(19_000);
        expect(error.retryAfterMs).toBeLessThanOrEqual(50_000);
        expect(stage.posts()).toBe(1);
        expect(dm.seen()).toEqual([]);
      },
    );

    needing(platform, "doubt")(
      "because the connection broke has an unknown outcome, and isn't retried",
      async () => {
        const { adapter, stage, dm, question } = await asked(platform);
        stage.drop();
        const error = await failure(send(adapter, answer(question, "hi"), soon()));
        expect(error.outcome).toBe("unknown");
        expectTellable(error.message, stage.secrets);
        expect(stage.posts()).toBe(1);
        expect(dm.seen()).toHaveLength(1);
      },
    );

    needing(platform, "doubt")("because of a timeout has an unknown outcome", async () => {
      const { adapter, stage, dm, question } = await asked(platform, true);
      stage.stall();
      const error = await failure(send(adapter, answer(question, "hi"), soon()));
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
      await failure(send(adapter, message, soon()));
      const [arrived] = dm.seen();
      const receipt = await send(adapter, { ...message, mayBeRepeat: true }, soon());
      expect(receipt.messageIds).toEqual([arrived!.id]);
      expect(dm.seen()).toEqual([arrived]);
    });

    needing(platform, "network")("because the platform is unreachable was never sent", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      await stage.goDown();
      // The first attempt may use a connection that is about to close.
      const errors: SendError[] = [];
      await until("it is certain", async () => {
        errors.push(await failure(send(adapter, answer(question, "hi"), soon())));
        return errors.at(-1)!.outcome === "never_sent";
      });
      for (const { outcome, message } of errors) {
        expect(outcome).not.toBe("refused");
        expectNoSecret(message, stage.secrets);
      }
      expect(dm.seen()).toEqual([]);
    });

    needing(platform, "network")("because the deadline had passed was never sent", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      const error = await failure(send(adapter, answer(question, "hi"), AbortSignal.abort()));
      expect(error.outcome).toBe("never_sent");
      expect(stage.posts()).toBe(0);
      expect(dm.seen()).toEqual([]);
    });

    needing(platform, "credentials")("because the token was revoked can be retried later", async () => {
      const { adapter, stage, dm, question } = await asked(platform);
      stage.revokeToken();
      const error = await failure(send(adapter, answer(question, "hi"), soon()));
      expect(error).toMatchObject({ outcome: "never_sent", scope: "account" });
      expectTellable(error.message, stage.secrets);
      expect(dm.seen()).toEqual([]);
    });
  });
}

const WORD = /\bw\d+\b/g;
const MARK = "may be a repeat";

function numbered(length: number): string {
  return Array.from({ length: Math.ceil(length / 6) }, (_, i) => `w${i}`).join(" ");
}

/** Messages with words that an earlier one has. */
function repeated(words: readonly string[][]): number[] {
  const seen = new Set<string>();
  return words.flatMap((some, i) => {
    const again = some.some((word) => seen.has(word));
    for (const word of some) seen.add(word);
    return again ? [i] : [];
  });
}

/** Sends so many parts, then fails. */
async function failAfter(
  parts: number,
  sending: { adapter: Adapter; message: Outgoing; stage: Stage; fail: (stage: Stage) => void },
): Promise<SendError> {
  const { adapter, message, stage, fail } = sending;
  let left = parts;
  const failing = Object.create(adapter) as Adapter;
  failing.sendPart = (...args) => {
    if (left-- === 0) fail(stage);
    return adapter.sendPart(...args);
  };
  return await failure(send(failing, message, soon()));
}

function lengthOf(text: string, { unit }: TextLimits): number {
  return unit === "utf16" ? text.length : [...text].length;
}
