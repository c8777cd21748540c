import fc from "fast-check";
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { cellWidth } from "../../../src/cli/cells.js";
import { LiveText } from "../../../src/cli/chat/live-text.js";
import { renderMarkdown } from "../../../src/cli/chat/markdown.js";
import { wrapText } from "../../../src/cli/wrap.js";

const plainly = (text: string, width = 40) => renderMarkdown(text, { width, colors: pc.createColors(false) });
const coloured = (text: string) =>
  renderMarkdown(text, { width: 80, colors: pc.createColors(true) }).join("\n");

describe("Markdown in a terminal", () => {
  it.each<[string, string, string[]]>([
    ["headings and emphasis", "# A **b**\n\nc *d* ~~e~~", ["A b", "", "c d e"]],
    ["line breaks", "one\ntwo", ["one", "two"]],
    ["lists, numbered and nested", "- a\n  - b\n- c", ["• a", "  ◦ b", "• c"]],
    ["numbers of equal width", "9. x\n10. y", [" 9. x", "10. y"]],
    ["tasks", "- [ ] to do\n- [x] done", ["☐ to do", "☑ done"]],
    ["quotes", "> said\n> so", ["│ said", "│ so"]],
    ["code without wrapping", "```js\nlet a  =  1;\n\nb()\n```", ["  js", "  let a  =  1;", "", "  b()"]],
    ["links with their address", "[here](https://a.b) <https://c.d>", ["here (https://a.b) https://c.d"]],
    ["tables", "| a | b |\n|---|--:|\n| x | 10 |", ["a │  b", "──┼───", "x │ 10"]],
    ["rules", "a\n\n---\n\nb", ["a", "", "─".repeat(40), "", "b"]],
  ])("draws %s", (_name, text, lines) => {
    expect(plainly(text)).toEqual(lines);
  });

  it("draws a table that is too wide row by row", () => {
    expect(plainly("| name | what it does |\n|---|---|\n| one | a long explanation |", 20)).toEqual([
      "one",
      "• what it does: a",
      "  long explanation",
    ]);
  });

  it("uses colours if they are enabled", () => {
    expect(coloured("**b** `c`")).toBe("\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m");
    expect(plainly("**b** `c`")).toEqual(["b c"]);
  });

  it("keeps every word, and every line within the width", () => {
    const word = fc.stringMatching(/^[a-z漢字🙂]{1,12}$/u);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 2, max: 30 }), (words, width) => {
        const lines = wrapText(words.join(" "), width);
        expect(lines.join("").replaceAll(" ", "")).toBe(words.join(""));
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

/** A small terminal emulator: what its screen shows after the output. */
class TinyTerminal {
  readonly columns = 30;
  readonly rows = 12;
  readonly lines: string[] = [""];

  write(text: string): void {
    for (const part of text.split(/(\u001b\[\d+A\r\u001b\[J|\n)/)) {
      const up = /^\u001b\[(\d+)A/.exec(part)?.[1];
      if (up) this.lines.splice(this.lines.length - 1 - Number(up), Number.POSITIVE_INFINITY, "");
      else if (part === "\n") this.lines.push("");
      else this.lines[this.lines.length - 1] += part;
    }
  }

  get text(): string {
    return this.lines.join("\n").trimEnd();
  }
}

describe("streamed text in a terminal", () => {
  const colors = pc.createColors(false);
  const whole = [
    "# Plan",
    "First *this*, which is a sentence of several rows.",
    "- one\n- two\n  - three",
    "```sh\nls\n\npwd\n```",
    "> quoted",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "The end.",
  ].join("\n\n");
  const drawn = renderMarkdown(whole, { width: 29, colors }).join("\n");

  it("shows a complete answer once, however it was streamed", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: whole.length }), { maxLength: 30 }), (cuts) => {
        const terminal = new TinyTerminal();
        const text = new LiveText(terminal, colors);
        text.wait("…");
        for (const cut of cuts.toSorted((a, b) => a - b)) text.update(whole.slice(0, cut));
        text.end(whole);
        expect(terminal.text).toBe(drawn);
      }),
    );
  });

  it("is shown while it is written", () => {
    const terminal = new TinyTerminal();
    const text = new LiveText(terminal, colors);
    text.update("Half a sen");
    expect(terminal.text).toBe("Half a sen");
    text.update("Half a sentence.\n\nAnd **mo");
    expect(terminal.text).toBe("Half a sentence.\n\nAnd **mo");
  });

  it("is printed again if the final answer differs", () => {
    const terminal = new TinyTerminal();
    const text = new LiveText(terminal, colors);
    text.update("One.\n\nTwo.\n\nThree");
    text.end("Other.");
    expect(terminal.text).toBe("One.\n\nTwo.\nOther.");
  });

  it("can't send escape sequences to the terminal", () => {
    const terminal = new TinyTerminal();
    new LiveText(terminal, colors).end("a\u001b]0;evil\u0007b\u001b[2J");
    expect(terminal.text).not.toContain("\u001b");
  });
});
