import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { someHistory } from "./support/home.js";
import { hermes, runHermes, temporaryFolder } from "./support/run.js";

describe("hermes", () => {
  it("prints help and version on stdout, also without a home", async () => {
    const home = join(temporaryFolder(), "none");
    expect(await hermes(home, "--help")).toMatch(/Usage: hermes [\s\S]*sessions [\s\S]*Examples:/);
    expect(await hermes(home, "sessions", "--help")).toMatch(/list[\s\S]*repair[\s\S]*Examples:/);
    expect(await hermes(home, "sessions", "search", "-h")).toMatch(/--exclude-source[\s\S]*--home/);
    expect(await hermes(home, "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("groups the commands in its help", async () => {
    const help = await hermes(temporaryFolder(), "--help");
    const groups = help.match(/^[A-Z][a-z ]+:$/gm);
    expect(groups).toEqual([
      ...["Options:", "Run:", "Talk:", "Look:", "People:", "Set up:", "Data:", "Help:", "Examples:"],
    ]);
    expect(help).toMatch(/^Data:\n {2}backup /m);
    expect(help).toMatch(/^ {2}help \[command\] +Explain a command\n\nExamples:/m);
  });

  it.each([
    [[], /^Usage: hermes/],
    [["sessions"], /^Usage: hermes sessions/],
    [["sesions"], /^error: unknown command 'sesions'\n\(Did you mean sessions\?\)/],
    [["sessions", "lst"], /^error: unknown command 'lst'\n\(Did you mean list\?\)/],
    [["gateway", "nosuch"], /^error: unknown command 'nosuch'\n\(add --help/],
    [["gateway", "statsu"], /^error: unknown command 'statsu'\n\(Did you mean status\?\)/],
    [["gateway", "start"], /^error: unknown command 'start'\n\(`hermes gateway` alone starts it\.\)/],
    [["sessions", "list", "--limt", "3"], /^error: unknown option '--limt'\n\(Did you mean --limit\?\)/],
    [["sessions", "list", "--limit", "0"], /^error: option '--limit <n>' argument '0' is invalid/],
    [["sessions", "list", "--by", "size"], /^error: option '--by <order>' argument 'size' is invalid/],
    [
      ["sessions", "search", "x", "--since", "soon"],
      /^error: option '--since <when>' argument 'soon' is invalid/,
    ],
    [["explain", "reset", "--last", "soon"], /^error: option '--last <when>' argument 'soon' is invalid/],
    [
      ["explain", "reset", "--last", "1h", "--now", "soon"],
      /^error: option '--now <when>' argument 'soon' is invalid/,
    ],
    [["gateway", "install", "--print", "--user", "ann"], /^error: --user only goes with --system/],
    [["sessions", "show"], /^error: missing required argument 'session'/],
    [["sessions", "prune", "--older-than", "-1", "-y"], /^error: option '--older-than <days>'/],
  ])("exits with 2 and explains the misuse on stderr: %j", async (args, message) => {
    const ran = await runHermes(temporaryFolder(), args);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(message);
  });

  it("accepts --home before and after the command", async () => {
    const home = await someHistory();
    const list = await hermes(home, "sessions", "list");
    expect(await hermes("/nonexistent", "--home", home, "sessions", "list")).toBe(list);
    expect(await hermes("/nonexistent", "sessions", "list", "--home", home)).toBe(list);
  });

  it("prints a stack trace only with HERMES_DEBUG=1", async () => {
    const home = temporaryFolder();
    writeFileSync(
      join(home, "state.db"),
      "this is no database, but long enough to look like one".repeat(100),
    );
    const plain = await runHermes(home, ["sessions", "list"]);
    expect(plain).toMatchObject({ code: 1, stdout: "" });
    expect(plain.stderr).not.toContain("    at ");
    const debug = await runHermes(home, ["sessions", "list"], "", { HERMES_DEBUG: "1" });
    expect(debug.stderr).toContain("    at ");
  });

  it("prints no colours into a pipe, even with FORCE_COLOR", async () => {
    const home = await someHistory();
    const env = { FORCE_COLOR: "1", CI: "1" };
    const ran = await runHermes(home, ["sessions", "search", "auth"], "", env);
    expect(ran.stdout).not.toContain("\u001b");
  });

  it("names the file that the system refused", async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, "state.db"));
    expect(await runHermes(home, ["adopt", "--check"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: Can't use ${join(home, "state.db")}: it is a folder.\n`,
    });
  });
});
