import path from "node:path";
import { describe, expect, it } from "vitest";
import { rows } from "../../support/agreement.js";
import { Daemon } from "../../support/daemon.js";
import { makeInlineFile, makeOldFile, readVersion, sampleHistory } from "../../support/old-schemas.js";
import { runHermes } from "../support/run.js";
import { agentHome, photograph, put } from "./homes.js";

const ofVersion10 = () => agentHome((file) => makeOldFile(file, 10, sampleHistory()));
const ofVersion11 = () => agentHome((file) => makeInlineFile(file, sampleHistory()));

describe("a first start on a home of Hermes Agent", () => {
  it.each([
    ["10", ofVersion10],
    ["11", ofVersion11],
  ])("reports what it found and leaves it untouched (schema %s)", async (version, make) => {
    const home = make();
    put(home, ".env", "TELEGRAM_BOT_TOKEN=1:a\n");
    const before = photograph(home);
    const { code, stdout, stderr } = await runHermes(home, ["gateway", "--port", "0"]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(`schema ${version}`);
    expect(stderr).toContain("What would change");
    expect(stderr).toMatch(/connects to telegram with the tokens that are there/);
    expect(stderr).toContain("hermes adopt");
    expect(photograph(home)).toEqual(before);
  });

  it("takes the home over when the environment says so", async () => {
    const home = ofVersion10();
    const daemon = await new Daemon({ home }).start({ HERMES_ADOPT: "1" });
    await daemon.stop();
    expect(rows(home, "SELECT session_id FROM gw_routes")).toEqual([{ session_id: "s3" }]);
    // From now on it is ours.
    await (await new Daemon({ home }).start()).stop();
  });
});

describe("commands on a home that was not adopted", () => {
  it("read a file of version 11 as it is", async () => {
    const home = ofVersion11();
    const { code, stdout } = await runHermes(home, ["sessions", "list", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).length).toBeGreaterThan(0);
    for (const args of [
      ["sessions", "stats"],
      ["sessions", "search", "hello"],
      ["insights"],
      ["doctor"],
      ["pairing", "list"],
    ])
      expect(await runHermes(home, args), args.join(" ")).toMatchObject({
        code: expect.toSatisfy((n) => n <= 1),
        stderr: "",
      });
    expect(rows(home, "SELECT name FROM sqlite_master WHERE name LIKE 'gw_%'")).toEqual([]);
  });

  it("write nothing into it, and name `hermes adopt`", async () => {
    const home = ofVersion11();
    const { code, stderr } = await runHermes(home, ["sessions", "rename", "s3", "Another name"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("hermes adopt")]);
    expect(rows(home, "SELECT title FROM sessions WHERE title = 'Another name'")).toEqual([]);
  });

  it("leave an older file alone, and name `hermes adopt`", async () => {
    const home = ofVersion10();
    const { code, stderr } = await runHermes(home, ["sessions", "list"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("hermes adopt")]);
    expect(readVersion(path.join(home, "state.db"))).toBe(10);
  });
});
