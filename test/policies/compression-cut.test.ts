import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assemble, fallbackSummary } from "../../src/policies/compression.js";
import { type CutReason, cutFor } from "../../src/policies/compression-cut.js";
import { thresholdTokens } from "../../src/policies/compression-limits.js";
import type { ChatMessage } from "../../src/session.js";

const settings = {
  enabled: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectFirst: 3,
  protectLast: 20,
  hardMessageLimit: 400,
};
const contextLength = 128_000;

/** One token per character. */
const estimateTokens = ({ content }: ChatMessage) => String(content).length;
const tokensOf = (messages: readonly ChatMessage[]) =>
  messages.reduce((sum, message) => sum + estimateTokens(message), 0);

function talk(count: number, chars: number): ChatMessage[] {
  return Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: "x".repeat(chars),
  }));
}

function split(messages: ChatMessage[], reason: CutReason): ChatMessage[] | undefined {
  const cut = cutFor(messages, { reason, contextLength, settings, estimateTokens });
  return cut && assemble(messages.slice(0, cut.headEnd), "summary", messages.slice(cut.tailStart));
}

describe("a split", () => {
  it("of 400 short messages frees half of the message limit", () => {
    expect(split(talk(400, 50), "messages")!.length).toBeLessThanOrEqual(100);
  });

  it("isn't due again before three quarters of the message limit are used again", () => {
    let messages: ChatMessage[] = [];
    const splits: number[] = [];
    for (let turn = 1; turn <= 1000; turn += 1) {
      messages = [...messages, ...talk(2, 50)];
      const child = messages.length >= settings.hardMessageLimit ? split(messages, "messages") : undefined;
      if (child) splits.push(turn);
      messages = child ?? messages;
    }
    const gaps = splits.slice(1).map((turn, i) => turn - splits[i]!);
    expect(splits.length).toBeGreaterThan(5);
    // Each turn adds two messages.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual((settings.hardMessageLimit * 0.75) / 2);
  });

  it("frees half of the limit that triggered it, or doesn't happen", () => {
    const limit = { tokens: thresholdTokens(contextLength, settings.threshold), messages: 400 };
    const sizes = fc.array(fc.oneof(fc.nat(200), fc.nat(30_000)), { minLength: 4, maxLength: 450 });
    let splits = 0;
    fc.assert(
      fc.property(sizes, fc.constantFrom("tokens" as const, "messages" as const), (chars, reason) => {
        const messages = chars.map((length, i) => ({
          ...talk(1, length)[0]!,
          role: i % 2 ? "assistant" : "user",
        }));
        const child = split(messages as ChatMessage[], reason);
        if (!child) return;
        splits += 1;
        const freed =
          reason === "messages"
            ? messages.length - child.length
            : tokensOf(messages as ChatMessage[]) - tokensOf(child);
        expect(freed).toBeGreaterThanOrEqual(limit[reason] / 2 - 1);
        expect(child.at(-1)).toBe(messages.at(-1));
      }),
      { numRuns: 300 },
    );
    expect(splits).toBeGreaterThan(20);
  });

  it.each([4000, 8000, 16_000, 32_000])(
    "happens before a context of %i tokens is full, beside a system prompt",
    (length) => {
      const system = length / 4;
      let messages: ChatMessage[] = [];
      for (let turn = 0; turn < 2000; turn += 1) {
        messages = [...messages, ...talk(2, 100)];
        const promptTokens = tokensOf(messages) + system;
        expect(promptTokens).toBeLessThan(length);
        if (promptTokens < thresholdTokens(length, settings.threshold)) continue;
        const question = { reason: "tokens", promptTokens, contextLength: length, settings, estimateTokens };
        const cut = cutFor(messages, question as Parameters<typeof cutFor>[1]);
        if (cut)
          messages = assemble(messages.slice(0, cut.headEnd), "summary", messages.slice(cut.tailStart));
      }
    },
  );

  it("waits while the last exchange alone fills the limit", () => {
    const messages = [...talk(10, 100), ...talk(2, 40_000)];
    expect(split(messages, "tokens")).toBeUndefined();
    expect(tokensOf(split([...messages, ...talk(2, 100)], "tokens")!)).toBeLessThan(32_000);
  });

  it("happens on request and after the model rejected the prompt", () => {
    for (const reason of ["asked", "context_length"] as const)
      expect(split(talk(12, 50), reason)!.length).toBeLessThan(12);
  });
});

it("a fallback summary stays bounded when it is updated repeatedly", () => {
  let summary: string | undefined;
  for (let i = 0; i < 20; i += 1) summary = fallbackSummary(talk(30, 400), summary);
  expect(summary!.length).toBeLessThan(17_000);
});
