import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { storeIn } from "./support/home.js";
import { finished, HERMES, runHermes, spawnHermes, temporaryFolder } from "./support/run.js";

/** What only a real process shows; everything else about commands is tested in process. */
describe("the hermes program", () => {
  it("runs every command of its help as a process", async () => {
    const { stdout } = await runHermes(temporaryFolder(), ["--help"]);
    // In groups, between the options and the examples.
    const list = stdout.slice(stdout.indexOf("Run:\n"), stdout.indexOf("Examples:\n"));
    const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!);
    expect(names).toHaveLength(27);
    const home = temporaryFolder();
    for (const name of names.filter((name) => name !== "help")) {
      const ran = await finished(spawnHermes(home, [name, "--help"]));
      expect(ran).toEqual({ code: 0, stdout: expect.stringContaining(`Usage: hermes ${name}`), stderr: "" });
    }
  });

  it("exits with 1 after a failure and with 2 after misuse", async () => {
    const home = temporaryFolder();
    expect(await finished(spawnHermes(home, ["gateway", "status"]))).toMatchObject({ code: 1 });
    expect(await finished(spawnHermes(home, ["sessions", "show", "x"]))).toMatchObject({ code: 1 });
    expect(await finished(spawnHermes(home, ["sessions", "lst"]))).toMatchObject({ code: 2 });
  });

  it("exits with 0 when the reader closes the pipe", async () => {
    const home = temporaryFolder();
    // More than a pipe holds, so that hermes still writes after the reader has gone.
    await storeIn(home, async (store) => {
      await store.createSession({ id: "big", source: "cli" });
      await store.appendMessages("big", [{ role: "user", content: "line\n".repeat(200_000) }]);
    });
    const child = spawnHermes(home, ["sessions", "show", "big"]);
    await once(child.stdout!, "data");
    child.stdout!.destroy();
    expect(await Promise.all([once(child, "close"), text(child.stderr!)])).toEqual([[0, null], ""]);
  });

  it("fails with one sentence when its output can't be written", () => {
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

  it("exits with 130 when interrupted", async () => {
    const child = spawnHermes(temporaryFolder(), ["sessions", "import", "-"]);
    const closed = once(child, "close");
    // Once a full pipe drains, hermes is reading.
    if (!child.stdin!.write("x".repeat(1_000_000))) await once(child.stdin!, "drain");
    child.stdin!.on("error", () => {});
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
  });
});
