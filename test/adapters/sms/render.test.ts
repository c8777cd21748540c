import { describe, expect, it } from "vitest";
import { LIMIT, marked, render } from "../../../src/adapters/sms/render.js";
import { capacityOf, segmentsOf } from "../../../src/adapters/sms/segments.js";

const POLICY = { maxSegments: 10, maxMessages: 10 };

describe("segments", () => {
  it.each([
    ["a".repeat(160), "GSM-7", 160, 1],
    ["a".repeat(161), "GSM-7", 161, 2],
    ["a".repeat(307), "GSM-7", 307, 3],
    ["€".repeat(80), "GSM-7", 160, 1],
    ["ж".repeat(70), "UCS-2", 70, 1],
    ["ж".repeat(71), "UCS-2", 71, 2],
    ["😀".repeat(35), "UCS-2", 70, 1],
    ["", "GSM-7", 0, 1],
  ])("of %j", (text, encoding, units, segments) => {
    expect(segmentsOf(text)).toEqual({ encoding, units, segments });
  });
});

describe("the length policy", () => {
  const words = (count: number, word = "word") =>
    Array.from({ length: count }, (_, i) => `${word}${i}`).join(" ");

  it.each([1, 2, 5, 10])("keeps each message within %i segments", (maxSegments) => {
    for (const word of ["word", "слово", "€{}"]) {
      const parts = render(words(400, word), { maxSegments, maxMessages: 100 });
      expect(parts.length).toBeGreaterThan(1);
      for (const { text } of parts) {
        expect(segmentsOf(text).segments).toBeLessThanOrEqual(maxSegments);
        expect(text.length).toBeLessThanOrEqual(LIMIT);
      }
    }
  });

  it("cuts an answer of too many messages, and says so", () => {
    const parts = render(words(20_000), { maxSegments: 10, maxMessages: 3 });
    expect(parts).toHaveLength(3);
    expect(parts.at(-1)!.text).toMatch(/\(cut\)$/);
    expect(parts.at(-1)!.text.length).toBeLessThanOrEqual(capacityOf("GSM-7", 10));
  });

  it("gives nothing for nothing", () => {
    expect(render(" \n ", POLICY)).toEqual([]);
  });
});

describe("a possible repeat", () => {
  it("is marked in the same message, or in one before it", () => {
    expect(marked({ text: "hi" })).toEqual(["(This may be a repeat.)\nhi"]);
    expect(marked({ text: "x".repeat(LIMIT) })).toHaveLength(2);
    for (const part of render("word ".repeat(2000), POLICY)) expect(marked(part)).toHaveLength(1);
  });
});
