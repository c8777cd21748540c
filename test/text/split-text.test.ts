import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SplitOptions, splitText } from "../../src/text/plain.js";

interface Vector {
  note: string;
  content: string;
  max_length: number;
  unit: SplitOptions["unit"];
  chunks: string[];
}
const vectors: Vector[] = JSON.parse(
  readFileSync(new URL("../vectors/chunking-vectors.json", import.meta.url), "utf8"),
);

describe("splitText on the vectors", () => {
  for (const { note, content, max_length, unit, chunks } of vectors) {
    it(note, () => {
      expect(splitText(content, { limit: max_length, unit })).toEqual(chunks);
    });
  }
});

const measure = (text: string, unit: SplitOptions["unit"]) =>
  unit === "utf16" ? text.length : Array.from(text).length;
const withoutMarker = (part: string) => part.replace(/ \(\d+\/\d+\)$/, "");
const visible = (text: string) => text.replace(/\s+/g, "");

const units = fc.constantFrom<SplitOptions["unit"]>("codepoint", "utf16");
const words = fc.constantFrom(
  "a",
  "word",
  "`code`",
  "`",
  "\\`",
  " ",
  "  ",
  "\n",
  "\n\n",
  "😀",
  "👩‍👩‍👧",
  "🇩🇪",
  "é",
  "\r\n",
  "x".repeat(30),
);
const fences = fc.constantFrom(
  "\n```\n",
  "\n```python\n",
  "```",
  "\n    indented\n",
  "\n``` a b\n",
  `\n\`\`\`${"l".repeat(40)}\n`,
);
/** Without fences: those are closed and opened again at a cut. */
const prose = fc
  .array(words, { maxLength: 200 })
  .map((parts) => parts.join(""))
  .filter((text) => !text.includes("```"));
const anything = fc.array(fc.oneof(words, fences), { maxLength: 200 }).map((parts) => parts.join(""));

describe("splitText on any text", () => {
  it("gives parts within the limit, however small, and none is blank", () => {
    fc.assert(
      fc.property(
        anything,
        fc.integer({ min: 2, max: 120 }),
        units,
        fc.boolean(),
        (text, limit, unit, marker) => {
          const parts = splitText(text, { limit, unit, marker });
          for (const part of parts) expect(measure(part, unit)).toBeLessThanOrEqual(limit);
          if (parts.length > 1) for (const part of parts) expect(withoutMarker(part).trim()).not.toBe("");
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("loses nothing but the space at the cuts", () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 22, max: 120 }), units, (text, limit, unit) => {
        const parts = splitText(text, { limit, unit });
        const bodies = parts.length > 1 ? parts.map(withoutMarker) : parts;
        expect(visible(bodies.join(""))).toBe(visible(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("never cuts a surrogate pair", () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 2, max: 60 }), (text, limit) => {
        for (const part of splitText(text, { limit, unit: "utf16" }))
          expect(part).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});

describe("a code block that splitText cuts", () => {
  const code = fc.array(fc.constantFrom("let x = 1", "    return y", "", "\tdeep()", "  nested(1)"), {
    minLength: 1,
    maxLength: 30,
  });

  it("is closed and opened again with its language, and no line loses its indentation", () => {
    fc.assert(
      fc.property(code, fc.integer({ min: 64, max: 120 }), (lines, limit) => {
        const text = `intro\n\`\`\`ts\n${lines.join("\n")}\n\`\`\``;
        const parts = splitText(text, { limit, unit: "codepoint" });
        const bodies = parts.length > 1 ? parts.map(withoutMarker) : parts;
        for (const body of bodies)
          expect(body.split("\n").filter((line) => line.startsWith("```")).length % 2).toBe(0);
        const shown = bodies
          .join("\n")
          .split("\n")
          .filter((line) => line.trim() !== "" && !line.startsWith("```"));
        expect(shown).toEqual(["intro", ...lines.filter((line) => line !== "")]);
      }),
      { numRuns: 500 },
    );
  });

  it("is opened again without a language that is too long", () => {
    const text = `\`\`\`${"l".repeat(36)}\n${"row of code\n".repeat(20)}\`\`\``;
    const parts = splitText(text, { limit: 60, unit: "codepoint" });
    expect(parts[1]).toMatch(/^```\nrow of code\n/);
  });
});

it("splitText doesn't cut the first line of a fence", () => {
  const text = `${"a".repeat(10)}\n\`\`\`${"x".repeat(80)}\ncode\n\`\`\``;
  expect(splitText(text, { limit: 60, unit: "codepoint" })[0]).toMatch(/^a{10} \(1\//);
});

it("splitText keeps emoji sequences together", () => {
  const waving = "👋🏽";
  for (const cluster of [waving, "🇩🇪", "👩‍👩‍👧"]) {
    const parts = splitText(cluster.repeat(60), { limit: 51, unit: "codepoint", marker: false });
    for (const part of parts) expect(part).toBe(cluster.repeat(part.length / cluster.length));
  }
});

it("splitText makes room for the markers of more than a thousand parts", () => {
  const parts = splitText("a".repeat(20_000), { limit: 23, unit: "codepoint" });
  expect(parts.length).toBeGreaterThan(1000);
  expect(parts.at(-1)).toMatch(new RegExp(` \\(${parts.length}/${parts.length}\\)$`));
  for (const part of parts) expect(part.length).toBeLessThanOrEqual(23);
});

it("splitText splits half a megabyte in seconds", () => {
  const started = performance.now();
  splitText("lorem ipsum dolor ".repeat(30_000), { limit: 4096, unit: "utf16" });
  expect(performance.now() - started).toBeLessThan(5000);
});

it("splitText rejects a limit below one", () => {
  expect(() => splitText("a", { limit: 0, unit: "utf16" })).toThrow(/limit/);
  expect(() => splitText("a", { limit: Number.NaN, unit: "utf16" })).toThrow(/limit/);
});
