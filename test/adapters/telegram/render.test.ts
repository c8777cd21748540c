import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { render } from "../../../src/adapters/telegram/render.js";
import { parseHtml } from "../../emulators/telegram/html.js";

const html = (markdown: string) =>
  render(markdown)
    .map((part) => part.html)
    .join("\n=====\n");

describe("Markdown in Telegram's HTML", () => {
  const cases: [string, string, string][] = [
    ["styles", "**b** *i* ~~s~~ ***bi***", "<b>b</b> <i>i</i> <s>s</s> <i><b>bi</b></i>"],
    [
      "escapes of characters that HTML reserves",
      "1 < 2 && \"q\" > 'r'",
      "1 &lt; 2 &amp;&amp; \"q\" &gt; 'r'",
    ],
    ["decoded entities", "&lt;b&gt; &amp;", "&lt;b&gt; &amp;"],
    ["HTML as text", "a <script>x</script> b", "a &lt;script&gt;x&lt;/script&gt; b"],
    [
      "Markdown after a tag",
      "<x>\n[a](https://e.x) **b**",
      '&lt;x&gt;\n<a href="https://e.x">a</a> <b>b</b>',
    ],
    ["inline code without other styles", "**a `b` c**", "<b>a </b><code>b</code><b> c</b>"],
    ["headings", "# One\ntext", "<b>One</b>\n\ntext"],
    ["links", '[t](https://x.y/?a=1&b="2")', '<a href="https://x.y/?a=1&amp;b=&quot;2&quot;">t</a>'],
    [
      "spelled-out addresses that Telegram can't link",
      "[t](javascript:alert(1)) [u](#top)",
      "t (javascript:alert(1)) u (#top)",
    ],
    ["bare addresses", "see https://x.y", "see https://x.y"],
    ["images", "![a plot](https://x.y/z.png)", '<a href="https://x.y/z.png">a plot</a>'],
    ["fences", "```ts\nlet a = 1 < 2;\n```", '<pre><code class="language-ts">let a = 1 &lt; 2;</code></pre>'],
    ["fences without a language", "```\na\n\n  b\n```", "<pre>a\n\n  b</pre>"],
    ["unclosed fences", "```py\nx", '<pre><code class="language-py">x</code></pre>'],
    ["quotes", "> a\n> **b**\n\nc", "<blockquote>a\n<b>b</b></blockquote>\n\nc"],
    ["quotes in quotes", "> a\n>> b", "<blockquote>a\n\nb</blockquote>"],
    ["lists", "- a\n- b\n  - c\n    1. d\n- e", "• a\n• b\n  ◦ c\n    1. d\n• e"],
    ["numbered lists from their number", "3. a\n4. b", "3. a\n4. b"],
    ["tasks", "- [x] a\n- [ ] b", "☑ a\n☐ b"],
    ["rules", "a\n\n---\n\nb", "a\n\n──────────\n\nb"],
    ["small tables", "|a|b|\n|-|-|\n|1|22|", "<pre>a │ b\n──┼───\n1 │ 22</pre>"],
    [
      "wide tables as groups",
      `|name|what|\n|-|-|\n|**x**|${"long ".repeat(9)}|`,
      `<b>x</b>\n• what: ${"long ".repeat(9).trim()}`,
    ],
    [
      "tables with links as groups",
      "|a|b|\n|-|-|\n|1|[l](http://x)|",
      '<b>1</b>\n• b: <a href="http://x">l</a>',
    ],
    ["line breaks", "a  \nb<br>c", "a\nb\nc"],
    ["lone surrogates and control characters", "a\ud83d b\u0000\u0007", "a\ufffd b"],
    ["the source of a text with nothing but link definitions", "[r]: http://z", "[r]: http://z"],
    ["code that begins with blanks", "```\n  a\n```", "<pre>  a</pre>"],
  ];

  it.each(cases)("%s", (_, markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });

  it("renders blank text as no message", () => {
    expect(render(" \n\n ")).toEqual([]);
  });

  it("keeps the words of text that is nested thousands of levels deep", () => {
    const deep = `${">".repeat(20_000)} deep`;
    expect(
      render(deep)
        .map((part) => part.text)
        .join(""),
    ).toContain("deep");
  });
});

describe("long answers on Telegram", () => {
  it("reopen a code block with its language and the next line's indentation", () => {
    const code = "    let a = 1;\n".repeat(600);
    const parts = render(`Look:\n\n\`\`\`ts\n${code}\`\`\`\n\nDone.`);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts.slice(1, -1))
      expect(part.html).toMatch(
        /^<pre><code class="language-ts"> {4}let a = 1;\n[\s\S]*<\/code><\/pre>\n\(\d\/\d\)$/,
      );
  });

  it("are cut at lines, else at spaces", () => {
    const [first] = render(`${"a".repeat(3000)}\n${"b".repeat(3000)}`);
    expect(first?.text).toBe(`${"a".repeat(3000)} (1/2)`);
    const words = render("word ".repeat(2000));
    for (const part of words) expect(part.text).toMatch(/^word( word)* \(\d\/\d\)$/);
  });

  it("are not cut inside an emoji", () => {
    const family = "👩‍👩‍👧‍👦";
    const parts = render(family.repeat(800));
    for (const part of parts) expect(part.text.replace(/ \(\d+\/\d+\)$/, "").replaceAll(family, "")).toBe("");
  });

  it("count their tags and entities against the limit", () => {
    const parts = render("<".repeat(4000));
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) expect(part.html.length).toBeLessThanOrEqual(4096);
  });

  it("spell out an address that is too long for a link", () => {
    const parts = render(`[here](https://x.y/${"z".repeat(9000)})`);
    expect(parts.map((part) => part.text).join("")).toContain("here");
    expect(
      parts
        .map((part) => part.text.replace(/ \(\d\/\d\)$/, ""))
        .join("")
        .match(/z/g),
    ).toHaveLength(9000);
  });
});

/** Markdown that a model may write, and some that none would. */
const markdown = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
      fc.constantFrom(
        "**bold** ",
        "_it_ ",
        "`code` ",
        "\n",
        "\n\n",
        "```js\n",
        "\n```\n",
        "> quote\n",
        "- item\n",
        "  1. deep\n",
        "|a|b|\n|-|-|\n|1|2|\n",
        "[link](https://example.com/a?b=c&d=e) ",
        "<tag> & ",
        "👩‍👩‍👧‍👦",
        "# head\n",
        "~~s~~",
        "***",
      ),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(""));

const visible = (text: string) => text.replace(/\s/gu, "");
const withoutMarker = (text: string) => text.replace(/\s\(\d+\/\d+\)$/, "");

describe("every part of an answer on Telegram", () => {
  it("is valid HTML within the limit, not blank, with the same words as its plain text", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 80, max: 400 }), (source, limit) => {
        for (const part of render(source, limit)) {
          expect(part.html.length).toBeLessThanOrEqual(limit);
          expect(part.text.trim()).not.toBe("");
          expect(parseHtml(part.html).text).toBe(part.text);
          expect(part.text).not.toMatch(
            /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it("gives the whole text when joined with the others", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 80, max: 400 }), (source, limit) => {
        const whole = render(source, 1_000_000)
          .map((part) => part.text)
          .join("");
        const parts = render(source, limit);
        const joined = parts
          .map((part) => (parts.length > 1 ? withoutMarker(part.text) : part.text))
          .join("");
        expect(visible(joined)).toBe(visible(whole));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps every word of plain text", () => {
    const word = fc.string({ unit: fc.constantFrom(..."abcdefghij"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 400 }), (words) => {
        const joined = render(words.join(" "), 200)
          .map((part) => withoutMarker(part.text))
          .join(" ");
        expect(joined.split(/\s+/)).toEqual(words);
      }),
      { numRuns: 100 },
    );
  });
});
