import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderParts } from "../../src/adapters/discord/render.js";
import { render as forSlack } from "../../src/adapters/slack/render.js";
import { render as forTelegram } from "../../src/adapters/telegram/render.js";
import { isWild } from "../../src/adapters/wild-markdown.js";

const WILD = "a__".repeat(2000);

describe("a text full of marks", () => {
  it("is no Markdown where one paragraph has all of them", () => {
    expect(isWild(WILD)).toBe(true);
    expect(isWild(`**bold**\n\n${"a__\n".repeat(2000)}\n_end_`)).toBe(true);
    expect(isWild(`\`\`\`\ncode\n\`\`\`\n${WILD}`)).toBe(true);
  });

  it("is Markdown where they are spread, or code", () => {
    expect(isWild("- **bold** and snake_case\n\n".repeat(3000))).toBe(false);
    expect(isWild(`\`\`\`\n${WILD}\n\n${WILD}\n\`\`\`\n\n**bold**`)).toBe(false);
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => !isWild(text)));
  });
});

/** Parsed, they take minutes, and everybody waits. */
describe.each(["a__", "a__\n", "**a", "a\\_"])("an answer full of %j", (mark) => {
  const answer = mark.repeat(20_000);
  const words = (parts: string[]) =>
    parts
      .join("")
      .replace(/\(\d+\/\d+\)/g, "")
      .match(/a/g)?.length;

  it("is rendered as it is, with all its words", () => {
    expect(words(forTelegram(answer).map(({ text }) => text))).toBe(20_000);
    expect(words(renderParts(answer))).toBe(20_000);
    expect(words(forSlack(answer).map(({ text }) => text))).toBe(20_000);
  });
});
