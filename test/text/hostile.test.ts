import fc from "fast-check";
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { renderParts as forDiscord, LIMIT as MAX_DISCORD } from "../../src/adapters/discord/render.js";
import { render as forSlack, MAX_MESSAGE as MAX_SLACK } from "../../src/adapters/slack/render.js";
import { render as forTelegram, LIMIT as MAX_TELEGRAM } from "../../src/adapters/telegram/render.js";
import { renderMarkdown as forTerminal } from "../../src/cli/chat/markdown.js";
import { plainParts } from "../../src/text/plain.js";
import { cellWidth } from "../../src/text/width.js";
import { hostileTexts } from "../support/growth.js";

const MAX_PLAIN = 1000;
const WIDTH = 60;

const PLATFORMS: Record<
  string,
  { render(markdown: string): string[]; max: number; size(part: string): number }
> = {
  Telegram: {
    render: (markdown) => forTelegram(markdown).map(({ html }) => html),
    max: MAX_TELEGRAM,
    size: (part) => part.length,
  },
  Slack: {
    render: (markdown) => forSlack(markdown).map(({ text }) => text),
    max: MAX_SLACK,
    size: (part) => part.length,
  },
  Discord: { render: (markdown) => forDiscord(markdown), max: MAX_DISCORD, size: (part) => part.length },
  "plain text": {
    render: (markdown) => plainParts(markdown, { limit: MAX_PLAIN, unit: "codepoint" }),
    max: MAX_PLAIN,
    size: (part) => Array.from(part).length,
  },
};

const countOf = (parts: string[], word: string) => parts.join("").split(word).length - 1;

describe.each(Object.entries(PLATFORMS))("hostile Markdown on %s", (_, { render, max, size }) => {
  it.each(["a__", "a__\n", "**a", "a\\_", "[a](", "`a ", "<a "])("keeps all words of %j repeated", (unit) => {
    expect(countOf(render(unit.repeat(20_000)), "a")).toBe(20_000);
  });

  it.each(hostileTexts(40_000))("splits %s into parts within the limit", (_name, text) => {
    for (const part of render(text)) {
      expect(size(part)).toBeLessThanOrEqual(max);
      expect(part.trim()).not.toBe("");
    }
  });

  it.each([
    ["60,000 back-ticks", "`".repeat(60_000)],
    ["100,000 quote marks", "> ".repeat(100_000)],
    ["half a megabyte of words", "lorem ipsum dolor ".repeat(28_000)],
  ])("renders %s in less than a second", (_name, text) => {
    const before = process.cpuUsage();
    render(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it("gives the same parts for the same Markdown", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), (text) => {
        expect(render(text)).toEqual(render(text));
      }),
    );
  });
});

describe("Markdown that is too complex to parse", () => {
  const html = (markdown: string) =>
    forTelegram(markdown)
      .map((part) => part.html)
      .join("");

  it("is plain text in the one paragraph that has too many marks", () => {
    const answer = html(`**before**\n\n${"a__".repeat(500)}\n\n**after**`);
    expect(answer).toContain("<b>before</b>");
    expect(answer).toContain("a__a__a__");
    expect(answer).toContain("<b>after</b>");
  });

  it("is still Markdown if the marks are in code or in many paragraphs", () => {
    expect(html(`\`\`\`\n${"a__".repeat(2000)}\n\`\`\`\n\n**bold**`)).toContain("<b>bold</b>");
    expect(html("- **bold** and snake_case\n".repeat(1000))).not.toContain("**");
  });

  it("is plain text below ten levels of nesting", () => {
    expect(html(`${"> ".repeat(5000)}deep`)).toMatch(/^<blockquote>(&gt; )+/);
    expect(html(`**bold**\n\n${"- ".repeat(200)}deep`)).toContain("<b>bold</b>");
  });

  it("is plain text if it is very long or has thousands of rows", () => {
    expect(html(`**bold** ${"word ".repeat(25_000)}`)).toContain("**bold**");
    expect(html(`**bold**\n\n${"- a\n".repeat(6000)}`)).toContain("**bold**");
  });
});

describe("hostile Markdown in a terminal", () => {
  it.each(hostileTexts(20_000))("wraps %s", (name, text) => {
    // Code isn't wrapped.
    const isCode = name === "spaces" || name.includes("back-tick") || name === "tildes";
    for (const line of forTerminal(text, { width: WIDTH, colors: pc.createColors(false) }))
      if (!isCode) expect(cellWidth(line)).toBeLessThanOrEqual(WIDTH);
  });
});
