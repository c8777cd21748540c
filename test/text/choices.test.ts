import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberedList, readChoice, shortLabel } from "../../src/text/choices.js";
import { parseMarkdown } from "../../src/text/markdown.js";
import { plainParts } from "../../src/text/plain.js";

const CHOICES = [
  { id: "once", label: "Allow once" },
  { id: "session", label: "Allow in this session" },
  { id: "always", label: "Always allow" },
  { id: "deny", label: "Deny" },
];

const meant = (text: string, choices = CHOICES) => readChoice(text, choices)?.id;
const labelled = (...labels: string[]) => labels.map((label, i) => ({ id: `id${i}`, label }));
const shown = (text: string) => plainParts(text, { limit: 100_000, unit: "utf16" }).join("");

describe("a typed answer", () => {
  it.each([
    ["2", "session"],
    [" 2. ", "session"],
    ["2)", "session"],
    ["(2)", "session"],
    ["#2", "session"],
    ["２", "session"],
    ["٢", "session"],
    ["२", "session"],
    ["allow once", "once"],
    ["ALLOW   ONCE", "once"],
    ["always", "always"],
    ["alw", "always"],
    ["d", "deny"],
    ["deny", "deny"],
  ])("%j means %s", (text, id) => {
    expect(meant(text)).toBe(id);
  });

  it.each([
    ["the beginning of several labels", "allow"],
    ["no choice's number", "5"],
    ["zero", "0"],
    ["a huge number", "99999999999999999999"],
    ["other words", "do as you like"],
    ["more than a label", "deny it"],
    ["nothing", "  "],
    ["a long text", "d".repeat(100_000)],
  ])("that is %s means nothing", (_, text) => {
    expect(meant(text)).toBeUndefined();
  });

  it("that could be a number or another choice's label means nothing", () => {
    const numbers = labelled("2", "4");
    expect(meant("2", numbers)).toBeUndefined();
    expect(meant("4", numbers)).toBe("id1");
    expect(meant("1", numbers)).toBe("id0");
    expect(meant("yes", labelled("Yes", "yes"))).toBeUndefined();
  });

  it("finds every choice by its number, and by a label that no other has", () => {
    const letters = fc.string({
      unit: fc.constantFrom(..."abcdé *_ 👍".split("")),
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 30 }), (labels) => {
        const choices = labelled(...labels);
        for (const [i, choice] of choices.entries()) {
          expect(readChoice(String(i + 1), choices)).toBe(choice);
          const found = readChoice(choice.label, choices);
          if (found) expect(found.label.trim().toLowerCase()).toContain(choice.label.trim().toLowerCase()[0]);
        }
      }),
    );
  });

  it("is one of the choices or none, whatever is typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.string({ unit: "binary" })), (text, labels) => {
        const choices = labelled(...labels);
        expect([undefined, ...choices]).toContain(readChoice(text, choices));
      }),
    );
  });
});

describe("a numbered list", () => {
  it("follows the question", () => {
    expect(numberedList("May I?\n", CHOICES.slice(0, 2))).toBe(
      "May I?\n\n1. Allow once\n2. Allow in this session",
    );
    expect(numberedList("", labelled(""))).toBe("1. id0");
    expect(numberedList("May I?", [])).toBe("May I?");
  });

  it.each([
    "**bold**",
    "`code`",
    "<b>&amp;</b>",
    "[a](https://b.c)",
    "# title",
    "- item",
    "3. third",
    "a|b",
    "~~a~~",
  ])("shows the label %j as it is", (label) => {
    expect(shown(numberedList("Which?", labelled(label, "other")))).toContain(`1. ${label}\n2. other`);
  });

  it("shows one item for each choice, with its label, whatever that is", () => {
    const marks = "*_~`[]()<>#+-=.!|&\\\"':@ 12ab\n".split("");
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 50 }),
      fc.string({ unit: fc.constantFrom(...marks), maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), (labels) => {
        const choices = labelled(...labels);
        const [list, ...more] = parseMarkdown(numberedList("", choices));
        expect({ more, type: list?.type }).toEqual({ more: [], type: "list" });
        const items = list?.type === "list" ? list.items : [];
        const texts = items.map(({ blocks: [block, ...others], checked }) => {
          expect({ others, checked }).toEqual({ others: [], checked: undefined });
          const spans = block?.type === "paragraph" ? block.spans : [];
          return spans.map(({ text }) => text).join("");
        });
        expect(texts).toEqual(choices.map(({ id, label }) => shortLabel(label, 200) || id));
      }),
      { numRuns: 200 },
    );
  });
});

describe("a short label", () => {
  it("is one line within the limit, without direction marks and halves of characters", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.integer({ min: 2, max: 80 }),
        (text, most) => {
          const label = shortLabel(text, most);
          expect(label.length).toBeLessThanOrEqual(most);
          expect(label).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
          expect(label).toBe(label.trim());
        },
      ),
    );
  });
});
