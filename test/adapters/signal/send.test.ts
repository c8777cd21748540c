import { describe, expect, it } from "vitest";
import { probeSignal } from "../../../src/adapters/signal/probe.js";
import { render, withNote } from "../../../src/adapters/signal/render.js";
import { NUMBER } from "../../emulators/signal/index.js";
import { patience, setUp } from "./support.js";

describe("the text", () => {
  it("has its styles as ranges in UTF-16 units", () => {
    const [part] = render("😀 **bold** and `code`\n\n- *it*");
    const cut = (range: string) => {
      const [start, length, style] = range.split(":");
      return [part!.text.slice(Number(start), Number(start) + Number(length)), style];
    };
    expect(part!.styles.map(cut)).toEqual([
      ["bold", "BOLD"],
      ["code", "MONOSPACE"],
      ["it", "ITALIC"],
    ]);
    expect(withNote({ text: "x", styles: ["0:1:BOLD"] }, "note").styles).toEqual(["5:1:BOLD"]);
  });
});

describe("doctor", () => {
  it("names the bot and the receive mode, or says what is wrong", async () => {
    const { emulator } = await setUp();
    const probe = (number: string) =>
      probeSignal({ number, apiUrl: emulator.url }, { running: false, signal: patience() });
    expect((await probe(NUMBER)).findings.map(({ state }) => state)).toEqual(["ok", "warn"]);
    expect((await probe("+15559999")).findings[0]?.state).toBe("fail");
  });
});
