import fc from "fast-check";
import { boldHeading, type Dialect, type Mark, plainParts, renderMarkdown } from "hermes-gateway";
import { describe, expect, it } from "vitest";
import { note, render, withNote } from "../../src/adapters/telegram/render.js";

const SIGNS: Partial<Record<Mark["kind"], string>> = { bold: "\u0002", italic: "\u001d", code: "\u0011" };
const sign = ({ kind }: Mark) => SIGNS[kind] ?? "";

/** A platform of our own: IRC's control characters, measured in bytes. */
const IRC: Dialect = {
  cost: (written) => Buffer.byteLength(written),
  escape: (text) => text,
  open: sign,
  close: sign,
  canLink: () => false,
  heading: boldHeading,
  quote: { frame: () => ({ kind: "quote", open: "", close: "", prefix: "> " }), nests: true },
  code: { frame: () => ({ kind: "code", open: "", close: "", prefix: "| " }), within: "all" },
  list: { bullets: ["*", "-"] },
  table: { maxWidth: 40, inCode: false },
  rule: "---",
};
const irc = (markdown: string, limit = 400) =>
  renderMarkdown(markdown, IRC, { limit }).map(({ text }) => text);

describe("a new dialect", () => {
  it("draws every construct", () => {
    const markdown = [
      "# Title",
      "**b** *i* `c` [l](https://x.y) \\*",
      "- a\n  - b\n- [x] c",
      "> q\n>> r",
      "```js\nlet a;\n```",
      "|a|b|\n|-|-:|\n|漢|22|",
      "---",
    ].join("\n\n");
    expect(irc(markdown)).toEqual([
      [
        "\u0002Title\u0002",
        "\u0002b\u0002 \u001di\u001d \u0011c\u0011 l (https://x.y) *",
        "* a\n  - b\n☑ c",
        "> q\n> \n> > r",
        "| let a;",
        "\u0002a  │  b\u0002\n───┼───\n漢 │ 22",
        "---",
      ].join("\n\n"),
    ]);
  });

  it("is split by its own cost function, without losing a letter", () => {
    const word = fc.constantFrom(
      "plain",
      "**bold**",
      "*it*",
      "`code`",
      "漢字",
      "👩‍👩‍👧",
      "x".repeat(90),
      "\n",
      "\n\n- ",
    );
    const letters = (text: string) => text.replace(/[^\p{L}\p{Extended_Pictographic}]/gu, "");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.integer({ min: 60, max: 300 }), (words, limit) => {
        const markdown = words.join(" ");
        const parts = irc(markdown, limit);
        for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(limit);
        expect(letters(parts.join(""))).toBe(letters(irc(markdown, 1_000_000).join("")));
      }),
    );
  });
});

describe("plain text", () => {
  it("keeps the words, the lists and the addresses", () => {
    const markdown = "## Plan\n\n1. **first** [step](https://x.y)\n2. second\n\n```\ncode\n```";
    expect(plainParts(markdown, { limit: 500, unit: "utf16" })).toEqual([
      "Plan\n\n1. first step (https://x.y)\n2. second\n\n    code",
    ]);
  });

  it("numbers its parts", () => {
    const parts = plainParts("word ".repeat(100), { limit: 100, unit: "codepoint" });
    expect(parts[0]).toMatch(/word \(1\/6\)$/);
  });

  it("rejects a limit below one", () => {
    expect(() => plainParts("a", { limit: 0, unit: "utf16" })).toThrow(/limit/);
  });
});

describe("named and numeric entities", () => {
  it.each([
    ["&eacute;&hellip; &#233; &#xe9;", "é… é é"],
    ["&nosuch; &amp", "&nosuch; &amp"],
    ["a&#7;b&#xd800;c", "ab\ufffdc"],
    ["`&eacute;`", "&eacute;"],
    ["&#38;lt; &amp;lt;", "&lt; &lt;"],
  ])("%s", (markdown, text) => {
    expect(plainParts(markdown, { limit: 500, unit: "utf16" })).toEqual([text]);
  });
});

describe("a note above a Telegram message", () => {
  it("is in the same message if both fit", () => {
    expect(withNote(render("**hello**")[0]!, note("a < b"))).toEqual([
      { html: "<i>a &lt; b</i>\n<b>hello</b>", text: "a < b\nhello" },
    ]);
  });

  it("is a message of its own if the message is full", () => {
    const [full] = render("a".repeat(4096));
    expect(withNote(full!, note("note"))).toEqual([note("note"), full]);
  });

  it("fits above every part of a long answer", () => {
    for (const part of render("word ".repeat(5000)))
      expect(withNote(part, note("x".repeat(80)))).toHaveLength(1);
  });
});
