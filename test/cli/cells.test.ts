import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellWidth, cutToCells, oneLine, padToCells, plain, shorten } from "../../src/cli/cells.js";

const anyText = fc.string({ unit: "grapheme", maxLength: 40 });

describe("cellWidth", () => {
  it.each([
    ["", 0],
    ["hello", 5],
    ["日本語", 6],
    ["한국어", 6],
    ["Tiếng Việt", 10],
    ["e\u0301", 1],
    ["👍", 2],
    ["👍🏽", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["❤", 1],
    ["ｆｕｌｌ", 8],
    ["—", 1],
    ["a\u200bb", 2],
    ["\u1112\u1161\u11ab", 2],
  ])("%j takes %i cells", (text, width) => {
    expect(cellWidth(text)).toBe(width);
  });
});

describe("cutToCells", () => {
  it("never cuts a wide character in half", () => {
    expect(cutToCells("日本語", 5)).toBe("日本");
  });

  it("gives a beginning that fits, and the whole text where it fits", () => {
    fc.assert(
      fc.property(anyText, fc.nat(50), (text, cells) => {
        const cut = cutToCells(text, cells);
        expect(text.startsWith(cut)).toBe(true);
        expect(cellWidth(cut)).toBeLessThanOrEqual(cells);
        if (cellWidth(text) <= cells) expect(cut).toBe(text);
      }),
    );
  });

  it("fills a column exactly when padded", () => {
    fc.assert(
      fc.property(anyText, fc.nat(50), (text, cells) => {
        expect(cellWidth(padToCells(cutToCells(text, cells), cells))).toBe(cells);
      }),
    );
  });
});

describe("shorten", () => {
  it("shows that something is missing", () => {
    expect(shorten("abcdef", 4)).toBe("abc…");
    expect(shorten("abcd", 4)).toBe("abcd");
  });
});

describe("plain", () => {
  it("takes away what could redraw the terminal, and keeps lines and tabs", () => {
    expect(plain("\u001b[31mred\u001b[0m \u001b]0;title\u0007x\ty\r\nz\u202e\u0008")).toBe("red x\ty\nz");
  });

  it("leaves no control character but line feeds and tabs", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(plain(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });

  it("makes one line of many", () => {
    expect(oneLine("  a\n\n b\tc ")).toBe("a b c");
  });
});
