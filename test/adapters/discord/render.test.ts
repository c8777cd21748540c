import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMIT, renderParts, renderPreview } from "../../../src/adapters/discord/render.js";

const one = (markdown: string) => renderParts(markdown).join("\n=====\n");

describe("Markdown for Discord", () => {
  it.each([
    ["bold, however it is written", "**a** __b__", "**a** **b**"],
    ["styles within styles", "**bold *both* bold**", "**bold *both* bold**"],
    ["three sizes of headings, then bold", "# A\n### C\n#### D", "# A\n### C\n**D**"],
    ["nested lists", "- a\n  - b\n    - c\n- d", "- a\n  - b\n    - c\n- d"],
    ["ordered lists from where they begin", "3. a\n4. b", "3. a\n4. b"],
    ["task lists", "- [x] done\n- [ ] open", "- ☑ done\n- ☐ open"],
    ["links with brackets in them", "[a](https://x.y/z_(w))", "[a](https://x.y/z_%28w%29)"],
    ["links that aren't for the web", "[a](file:///x)", "a (file:///x)"],
    ["a label that is an address", "[https://a.b](https://c.d)", "https://a.b (https://c.d)"],
    ["pictures as links", "![cat](https://x.y/c.png)", "[cat](https://x.y/c.png)"],
    ["quotes, one level deep", "> a\n> > b", "> a\n> \n> b"],
    ["rules", "a\n\n---\n\nb", "a\n\n──────────\n\nb"],
    ["code as it is", "```js\nlet **x**;\n```", "```js\nlet **x**;\n```"],
    ["escaped spoiler marks", "a || b", "a \\|\\| b"],
    ["escaped small print", "-# a", "\\-# a"],
    ["entities", "1 &lt; 2 &amp; 3", "1 < 2 & 3"],
    ["escapes", "\\*not\\*", "\\*not\\*"],
    ["HTML as text", "<b>x</b>", "<b>x</b>"],
    ["Markdown after a tag", "<x>\n[a](file:///x) __b__", "<x>\na (file:///x) **b**"],
    ["line breaks", "a\nb", "a\nb"],
    ["mentions", "<@123> and <#4>", "<@123> and <#4>"],
    ["entities in an address", "[x](https://a.b/?c=1&amp;d=2)", "[x](https://a.b/?c=1&d=2)"],
    ["nothing but a definition", "[1]: https://a.b", "[1]: https://a.b"],
  ])("%s", (_name, markdown, expected) => {
    expect(one(markdown)).toBe(expected);
  });

  it("shows a narrow table in columns", () => {
    expect(one("| a | b |\n|---|--:|\n| one | 2 |")).toBe("```\na   │ b\n────┼──\none │ 2\n```");
  });

  it("shows a wide table as a list", () => {
    const wide = `| Name | Notes |\n|---|---|\n| Ada | ${"long ".repeat(20).trim()} |`;
    expect(one(wide)).toBe(`**Ada**\n- Notes: ${"long ".repeat(20).trim()}`);
  });

  it("keeps a code block with a fence in it together", () => {
    const parts = one("````\n```\ninner\n```\n````");
    expect(parts.match(/```/g)).toHaveLength(2);
  });

  it("renders blank text as no message", () => {
    expect(renderParts(" \n ")).toEqual([]);
  });
});

describe("long answers on Discord", () => {
  it("close a code block and open it again", () => {
    const parts = renderParts(`\`\`\`py\n${"print(1)\n".repeat(400)}\`\`\``);
    expect(parts.length).toBe(2);
    for (const part of parts) expect(part).toMatch(/^```py\n[\s\S]+\n```\n\(\d\/2\)$/);
  });

  it("close bold text and open it again", () => {
    const parts = renderParts(`**${"word ".repeat(600).trim()}**`);
    for (const part of parts) expect(part).toMatch(/^\*\*word.*word\*\* \(\d\/2\)$/);
  });

  it("continue a quote in the next part", () => {
    const parts = renderParts(`> ${"word ".repeat(600).trim()}`);
    for (const part of parts) expect(part).toMatch(/^> word/);
  });

  it("don't cut a link", () => {
    const link = `[here](https://example.com/${"x".repeat(100)})`;
    const parts = renderParts(`${"word ".repeat(390)}${link} after`);
    expect(parts.some((part) => part.includes(link))).toBe(true);
  });

  it("are cut off in a preview", () => {
    const preview = renderPreview("word ".repeat(1000));
    expect(preview.length).toBeLessThanOrEqual(LIMIT);
    expect(preview.endsWith("…")).toBe(true);
  });
});

const words = fc.constantFrom(
  "a",
  "word",
  "😀",
  "👩‍👩‍👧",
  "é",
  "x".repeat(70),
  "snake_case",
  "\\*",
  "<@123>",
  "1.",
  "ende\\",
);
const inline = fc.oneof(
  words,
  words.map((w) => `**${w}**`),
  words.map((w) => `*${w}*`),
  words.map((w) => `\`${w.replaceAll("\\", "")}\``),
  words.map((w) => `[${w}](https://x.y/${encodeURIComponent(w)})`),
);
const prose = fc.array(inline, { minLength: 1, maxLength: 40 }).map((w) => w.join(" "));
const block = fc.oneof(
  { weight: 4, arbitrary: prose },
  prose.map((p) => `# ${p}`),
  prose.map((p) => `> ${p}`),
  fc.array(prose, { minLength: 1, maxLength: 4 }).map((items) => items.map((i) => `- ${i}`).join("\n")),
  fc.array(words, { maxLength: 60 }).map((lines) => `\`\`\`js\n${lines.join("\n")}\n\`\`\``),
  fc.tuple(words, words).map(([a, b]) => `| ${a} | ${b} |\n|---|---|\n| ${b} | ${a} |`),
);
const documents = fc.array(block, { minLength: 1, maxLength: 12 }).map((blocks) => blocks.join("\n\n"));
const limits = fc.integer({ min: 60, max: LIMIT });

/** Letters and signs that a reader sees. A link that is cut has its address in both parts. */
const letters = (text: string) =>
  text.replace(/\(https:[^)]*\)/g, "").replace(/[^\p{L}\p{Extended_Pictographic}]/gu, "");
const body = (part: string) => part.replace(/\s\(\d+\/\d+\)$/, "");
const withoutInfo = (text: string) => text.replaceAll("```js", "```");

describe("any text on Discord", () => {
  it("is split into parts within the limit, none of them blank", () => {
    fc.assert(
      fc.property(documents, limits, (text, limit) => {
        for (const part of renderParts(text, limit)) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.trim()).not.toBe("");
        }
      }),
    );
  });

  it("is never cut inside a character, and code blocks are closed in each part", () => {
    fc.assert(
      fc.property(documents, limits, (text, limit) => {
        for (const part of renderParts(text, limit)) {
          expect(part).not.toMatch(/\p{Surrogate}/u);
          expect((part.match(/```/g) ?? []).length % 2).toBe(0);
        }
      }),
    );
  });

  it("loses nothing to the cuts", () => {
    fc.assert(
      fc.property(documents, limits, (text, limit) => {
        const whole = letters(withoutInfo(renderParts(text, 10_000_000).join("")));
        const parts = renderParts(text, limit).map((part) => withoutInfo(body(part)));
        expect(letters(parts.join(""))).toBe(whole);
      }),
    );
  });

  it("is rendered without an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 3000 }), (text) => {
        for (const part of renderParts(text)) expect(part.length).toBeLessThanOrEqual(LIMIT);
      }),
    );
  });
});
