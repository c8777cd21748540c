import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_MESSAGE, render } from "../../../src/adapters/slack/render.js";

const one = (markdown: string) =>
  render(markdown)
    .map(({ text }) => text)
    .join("\n=====\n");
const EDGE = "\u200b";

describe("Markdown for Slack", () => {
  it.each([
    ["bold", "**bold** __too__", "*bold* *too*"],
    ["italic", "*it* _too_", "_it_ _too_"],
    ["both", "***both***", "_*both*_"],
    ["struck", "~~gone~~", "~gone~"],
    ["code", "`a < b`", "`a &lt; b`"],
    ["a back-tick in code", "`` a`b ``", "`aˋb`"],
    ["a heading", "# Title with **bold**", "*Title with bold*"],
    ["special letters", "a < b & c > d", "a &lt; b &amp; c &gt; d"],
    ["no pings", "<@U1> <!channel> @here", "&lt;@U1&gt; &lt;!channel&gt; @here"],
    ["a link", "[text & more](https://a.b/c?d=1&e=2)", "<https://a.b/c?d=1&amp;e=2|text &amp; more>"],
    ["a bare link", "https://a.b/c_d_e", "<https://a.b/c_d_e>"],
    ["a link with a bar", "[x](https://a.b/c|d)", "<https://a.b/c%7Cd|x>"],
    ["a link to a file", "[x](./y.md)", "x (./y.md)"],
    ["a script", "[x](javascript:alert(1))", "x (javascript:alert(1))"],
    ["an image", "![cat](https://a.b/c.png)", "<https://a.b/c.png|cat>"],
    ["marks inside of a word", "a**b**c", `a${EDGE}*b*${EDGE}c`],
    ["spaces inside of marks", "**a **b", `*${EDGE}*${EDGE}a **b`],
    ["literal stars", "\\*not bold\\*", `*${EDGE}not bold*${EDGE}`],
    ["names with underscores", "snake_case_name", "snake_case_name"],
    ["a list", "- a\n- b\n  - c\n    - d", "• a\n• b\n    ◦ c\n        ▪ d"],
    ["numbers", "3. a\n4. b", "3. a\n4. b"],
    ["tasks", "- [x] a\n- [ ] b", "☑ a\n☐ b"],
    ["a quote", "> a **b**\n> c", "> a *b*\n> c"],
    ["a fence", "```js\nif (a < b)\n  c();\n```", "```\nif (a &lt; b)\n  c();\n```"],
    ["a fence in a fence", "````\n```\n````", `\`\`\`\n\`\`${EDGE}\`\n\`\`\``],
    ["a rule", "a\n\n---\n\nb", "a\n\n──────────\n\nb"],
    ["a table", "| a | bb |\n|---|---:|\n| 1 | 2 |", "```\na │ bb\n──┼───\n1 │  2\n```"],
    ["a break", "a<br>b", "a\nb"],
    ["html", "<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"],
    ["Markdown after a tag", "<x>\n[a](https://e.x) **b**", "&lt;x&gt;\n<https://e.x|a> *b*"],
    ["a script as it is", "<script>\na *b* c\n</script>", `&lt;script&gt;\na *${EDGE}b* c\n&lt;/script&gt;`],
    ["an unclosed fence", "```\nx", "```\nx\n```"],
    ["nothing", "  \n ", ""],
    ["entities", "1 &lt; 2 &amp; &#39;3&#39; `&amp;`", "1 &lt; 2 &amp; '3' `&amp;amp;`"],
    ["entities in an address", "[x](https://a.b/?c=1&amp;d=2)", "<https://a.b/?c=1&amp;d=2|x>"],
    ["nothing but a definition", "[1]: https://a.b", "[1]: https://a.b"],
    ["nothing but a fence", "```", `\`${EDGE}\`\``],
  ])("%s", (_, markdown, expected) => {
    expect(one(markdown)).toBe(expected);
  });
});

it.each(["> ", "- "])("keeps the words of text that is nested thousands of levels deep: %j", (mark) => {
  const parts = render(`${mark.repeat(8000)}deep`);
  expect(parts.map(({ text }) => text.length).every((length) => length <= MAX_MESSAGE)).toBe(true);
  expect(parts.at(-1)!.text).toContain("deep");
});

describe("splitting for Slack", () => {
  it("closes a fence and opens it again, and keeps indentation", () => {
    const code = Array.from({ length: 12 }, (_, i) => `  line ${i};`).join("\n");
    const parts = render(`\`\`\`js\n${code}\n\`\`\``, { limit: 80, marker: false });
    expect(parts.length).toBeGreaterThan(1);
    for (const { text } of parts) expect(text).toMatch(/^```\n {2}line[\s\S]*;\n```$/);
  });

  it("closes bold and opens it again", () => {
    const [first, second] = render(`**${"word ".repeat(20)}end**`, { limit: 60, marker: false });
    expect(first!.text).toMatch(/^\*word[\s\S]*word\*$/);
    expect(second!.text).toMatch(/^\*word/);
  });

  it("numbers its parts", () => {
    const parts = render("word ".repeat(40), { limit: 80 });
    expect(parts.map(({ text }) => / \((\d+\/\d+)\)$/.exec(text)?.[1])).toEqual(
      parts.map((_, i) => `${i + 1}/${parts.length}`),
    );
  });

  it("gives the first part its own limit", () => {
    const parts = render("word ".repeat(100), { limit: 200, firstLimit: 50 });
    expect(parts[0]!.text.length).toBeLessThanOrEqual(50);
    expect(parts[1]!.text.length).toBeGreaterThan(100);
  });

  it("loses nothing of a link that is longer than a message", () => {
    const url = `https://a.b/${"x".repeat(300)}`;
    const parts = render(`see [it](${url})`, { limit: 100, marker: false });
    expect(parts.map(({ text }) => text).join("")).toContain("x".repeat(50));
    for (const { text } of parts) expect(text.length).toBeLessThanOrEqual(100);
  });

  it("splits a very long document", () => {
    const parts = render("some **bold** words & `code`\n".repeat(3000));
    expect(parts.length).toBeGreaterThan(6);
    for (const { text } of parts) expect(text.length).toBeLessThanOrEqual(MAX_MESSAGE);
  });
});

// --- properties -----------------------------------------------------------------------------------------------------

const word = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[a-z]{1,9}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("a&b", "<x>", "👩‍👩‍👧", "中文字", "é", "1<2", "x".repeat(70), "😀".repeat(40)),
  },
);
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((all) => all.join(" "));
const inline = fc.oneof(
  words,
  words.map((text) => `**${text}**`),
  words.map((text) => `_${text}_`),
  words.map((text) => `\`${text}\``),
  words.map((text) => `[${text.replace(/[<>]/g, "")}](https://e.x/?a=1&b=2)`),
);
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((all) => all.join(" "));
const block = fc.oneof(
  line,
  line.map((text) => `# ${text}`),
  fc.array(line, { minLength: 1, maxLength: 4 }).map((all) => all.map((text) => `- ${text}`).join("\n")),
  fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => all.map((text) => `> ${text}`).join("\n")),
  fc.array(words, { minLength: 1, maxLength: 6 }).map((all) => `\`\`\`\n${all.join("\n")}\n\`\`\``),
);
const document = fc.array(block, { minLength: 1, maxLength: 6 }).map((all) => all.join("\n\n"));

/** The letters that a reader sees, without markup. */
function letters(text: string): string {
  return text
    .replace(/<https:[^|>]*\|([^>]*)>/g, "$1")
    .replace(/^```|^> /gm, "")
    .replace(/[*_~`•\s\u200bˋ]/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

const sourceLetters = (markdown: string) =>
  markdown
    .replace(/\]\(https:[^)]*\)/g, "")
    .replace(/^[#>-] /gm, "")
    .replace(/[*_~`[\s]/g, "");

function isValid(part: string): boolean {
  const outside = part.replace(/<(https:[^<>|]*)(\|[^<>]*)?>/g, "").replace(/^> /gm, "");
  const entities = outside.replace(/&(amp|lt|gt);/g, "");
  const fences = part.match(/^```$|```$/gm)?.length ?? 0;
  const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(part);
  return !/[<>&]/.test(entities) && fences % 2 === 0 && !lone;
}

describe("any document on Slack", () => {
  it("is split into valid parts within the limit, and nothing is lost", () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 60, max: 400 }), (markdown, limit) => {
        const parts = render(markdown, { limit, marker: false }).map(({ text }) => text);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(isValid(part), part).toBe(true);
          expect(part.trim()).not.toBe("");
        }
        expect(parts.map(letters).join("")).toBe(sourceLetters(markdown));
      }),
      { numRuns: 400 },
    );
  });

  it("can be split into sections", () => {
    fc.assert(
      fc.property(document, (markdown) => {
        for (const part of render(markdown, { limit: 600 })) {
          const pieces = part.pieces(200);
          for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(200);
          expect(pieces.map(letters).join("")).toBe(letters(part.text));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("is rendered within the limit even if it is binary", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 400 }),
        fc.integer({ min: 60, max: 200 }),
        (markdown, limit) => {
          for (const { text } of render(markdown, { limit })) expect(text.length).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 400 },
    );
  });
});
