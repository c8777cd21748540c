import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../../src/cli/chat/complete.js";
import { chatByFlag } from "../../../src/cli/chat/flags.js";
import { InputHistory } from "../../../src/cli/chat/history.js";
import { resumeHint } from "../../../src/cli/chat/resume-hint.js";

describe("hermes -c and hermes -r", () => {
  it.each([
    [["-c"], ["chat", "-c"]],
    [
      ["-c", "my project"],
      ["chat", "-c", "my project"],
    ],
    [["--resume=x y"], ["chat", "--resume=x y"]],
    [
      ["--home", "/h", "-r", "1"],
      ["--home", "/h", "chat", "-r", "1"],
    ],
    [
      ["--home=/h", "--continue"],
      ["--home=/h", "chat", "--continue"],
    ],
    [
      ["chat", "-c"],
      ["chat", "-c"],
    ],
    [
      ["sessions", "list"],
      ["sessions", "list"],
    ],
    [[], []],
  ])("%j is %j", (words, meant) => {
    expect(chatByFlag(words)).toEqual(meant);
  });
});

describe("Tab", () => {
  const known = {
    commands: ["status", "stop", "help"],
    titles: async () => ["My project", "my plan", "Other"],
  };

  it.each<[string, string[], string]>([
    ["/st", ["/status ", "/stop "], "/st"],
    ["/e", ["/exit "], "/e"],
    ["/resume my p", ["My project", "my plan"], "my p"],
    ["/resume ", ["My project", "my plan", "Other"], ""],
    ["hello", [], "hello"],
    ["/status more", [], "/status more"],
  ])("completes %j", async (line, found, part) => {
    expect(await complete(line, known)).toEqual([found, part]);
  });
});

describe("the history of the input", () => {
  function inFile(): { file: string; history: InputHistory } {
    const folder = mkdtempSync(join(tmpdir(), "hermes-chat-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "chat_history");
    return { file, history: new InputHistory(file) };
  }

  it("is kept for its owner alone", async () => {
    const { file, history } = inFile();
    expect(await history.load()).toEqual([]);
    for (const line of ["one", "  ", "two", "x".repeat(5000)]) await history.add(line);
    expect(await history.load()).toEqual(["one", "two"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("doesn't grow for ever", async () => {
    const { file, history } = inFile();
    writeFileSync(file, Array.from({ length: 2001 }, (_, i) => `${i}\n`).join(""));
    const lines = await history.load();
    expect([lines.length, lines.at(-1)]).toEqual([1000, "2000"]);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(1001);
  });
});

describe("the resumeHint", () => {
  it("says how to come back, as a shell takes it", () => {
    expect(resumeHint({ id: "ID", title: null })).toEqual(["Session  ID", "Resume   hermes -r ID"]);
    expect(resumeHint({ id: "ID", title: "my plan" })[1]).toContain('(or hermes -c "my plan")');
    expect(resumeHint({ id: "ID", title: "it's $5" })[1]).toContain("(or hermes -c 'it'\\''s $5')");
  });
});
