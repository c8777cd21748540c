import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { someHistory, storeIn } from "./support/home.js";
import { finished, HERMES, hermes, runHermes, startHermes, temporaryFolder } from "./support/run.js";

describe("hermes as a process", () => {
  it("explains itself without a home, on stdout", async () => {
    const home = join(temporaryFolder(), "none");
    expect(await hermes(home, "--help")).toMatch(/Usage: hermes [\s\S]*sessions [\s\S]*Examples:/);
    expect(await hermes(home, "sessions", "--help")).toMatch(/list[\s\S]*repair[\s\S]*Examples:/);
    expect(await hermes(home, "sessions", "search", "-h")).toMatch(/--exclude-source[\s\S]*--home/);
    expect(await hermes(home, "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [[], /^Usage: hermes/],
    [["sessions"], /^Usage: hermes sessions/],
    [["sesions"], /^error: unknown command 'sesions'\n\(Did you mean sessions\?\)/],
    [["sessions", "lst"], /^error: unknown command 'lst'\n\(Did you mean list\?\)/],
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
  ])("says how %j is misused, with exit code 2 and nothing on stdout", async (args, message) => {
    const ran = await runHermes(temporaryFolder(), args);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(message);
  });

  it("takes the home from --home, before or after the command", async () => {
    const home = await someHistory();
    const list = await hermes(home, "sessions", "list");
    expect(await hermes("/nonexistent", "--home", home, "sessions", "list")).toBe(list);
    expect(await hermes("/nonexistent", "sessions", "list", "--home", home)).toBe(list);
  });

  it("shows where an error comes from only when asked", async () => {
    const home = temporaryFolder();
    writeFileSync(
      join(home, "state.db"),
      "this is no database, but long enough to look like one".repeat(100),
    );
    const plain = await runHermes(home, ["sessions", "list"]);
    expect(plain).toMatchObject({ code: 1, stdout: "" });
    expect(plain.stderr).not.toContain("    at ");
    const child = startHermes(home, ["sessions", "list"], { HERMES_DEBUG: "1" });
    expect((await finished(child)).stderr).toContain("    at ");
  });

  it("has no colours in a pipe, whatever the environment wishes", async () => {
    const home = await someHistory();
    const child = startHermes(home, ["sessions", "search", "auth"], { FORCE_COLOR: "1", CI: "1" });
    expect((await finished(child)).stdout).not.toContain("\u001b");
  });

  it("ends quietly when its reader leaves", async () => {
    const home = temporaryFolder();
    // More than a pipe holds, so that hermes still writes when nobody reads any more.
    await storeIn(home, async (store) => {
      await store.createSession({ id: "big", source: "cli" });
      await store.appendMessages("big", [{ role: "user", content: "line\n".repeat(200_000) }]);
    });
    const child = startHermes(home, ["sessions", "show", "big"]);
    await once(child.stdout!, "data");
    child.stdout!.destroy();
    expect(await Promise.all([once(child, "close"), errorsOf(child.stderr!)])).toEqual([[0, null], ""]);
  });

  it("says in one sentence that its output can't be written", () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [HERMES, "--help"], {
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "error: Can't use the output: the disk is full.\n",
    });
  });

  it("says in one sentence which file the system refused", async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, "state.db"));
    expect(await runHermes(home, ["adopt", "--check"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: Can't use ${join(home, "state.db")}: it is a folder.\n`,
    });
  });

  it("ends with 130 when interrupted", async () => {
    const child = startHermes(temporaryFolder(), ["sessions", "import", "-"]);
    const closed = once(child, "close");
    // Once a full pipe drains, hermes is there and reading.
    if (!child.stdin!.write("x".repeat(1_000_000))) await once(child.stdin!, "drain");
    child.stdin!.on("error", () => {});
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
  });
});

async function errorsOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}
