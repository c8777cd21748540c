import { expect, it } from "vitest";
import { renderParts } from "../../src/adapters/discord/render.js";
import type { PlannedMessage } from "./plan.js";
import { tokensIn } from "./verdict.js";
import { written } from "./written.js";

const LONG_CHARS = 7000;
const planned = (kind: PlannedMessage["kind"]) => ({ place: 0, person: 0, kind, slowMs: 20, afterMs: 0 });
const wordsOf = (number: number, kind: PlannedMessage["kind"]) =>
  written(number, planned(kind), LONG_CHARS).text;

/** Messages that come during a turn are answered together: the busier the machine, the more of them. */
it("each part of an answer has a token, however many short messages are answered with a long one", () => {
  for (let count = 0; count < 60; count += 1) {
    const short = Array.from({ length: count }, (_, i) => wordsOf(i, i % 2 === 0 ? "plain" : "shown"));
    const together = [...short, wordsOf(count, "long")].join("\n");
    for (const part of renderParts(together)) expect(tokensIn(part), part).not.toEqual([]);
  }
});

it("each token is in the text once", () => {
  const longChars = [LONG_CHARS, ...Array.from({ length: 100 }, (_, i) => 200 + i)];
  for (const kind of ["plain", "slow", "shown", "long"] as const)
    for (const chars of longChars) {
      const { text, tokens } = written(7, planned(kind), chars);
      expect(tokensIn(text)).toEqual(tokens);
    }
});
