import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nearestCommand, parseCommand } from "../../src/commands/parse-command.js";

interface Vector {
  text: string;
  is_command: boolean;
  command: string | null;
  args: string;
}
const vectors: Vector[] = JSON.parse(
  readFileSync(new URL("../vectors/command-parse-vectors.json", import.meta.url), "utf8"),
);

describe("commands on the vectors", () => {
  for (const { text, is_command, command, args } of vectors) {
    it(JSON.stringify(text), () => {
      expect(parseCommand(text)).toEqual({ isCommand: is_command, command, args });
    });
  }
});

it("arguments keep their inner and trailing space and their case", () => {
  expect(parseCommand("/Title  My  Day \n")).toEqual({
    isCommand: true,
    command: "title",
    args: "My  Day \n",
  });
});

it("a single slash isn't a command, and a path after the bot's name isn't a path", () => {
  expect(parseCommand("/ x")).toEqual({ isCommand: true, command: "", args: "x" });
  expect(parseCommand("/new@Bot/x").command).toBe("new");
});

describe("the nearest command", () => {
  const names = ["new", "reset", "resume", "retry", "status", "stop", "compress"];

  it.each([
    ["nwe", "new"],
    ["reste", "reset"],
    ["statsu", "status"],
    ["compres", "compress"],
    ["comp", "compress"],
    ["status", "status"],
  ])("%s → %s", (typed, meant) => {
    expect(nearestCommand(typed, names)).toBe(meant);
  });

  it.each(["", "x", "weather", "co"])("isn't found for %j", (typed) => {
    expect(nearestCommand(typed, names)).toBeUndefined();
  });
});
