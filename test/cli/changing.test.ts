import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AUTH, PROJECT, someHistory, storeIn, WEATHER } from "./support/home.js";
import { hermes, hermesJson, runHermes } from "./support/run.js";

describe("hermes sessions rename", () => {
  it("takes a title of several words, and an empty one to clear it", async () => {
    const home = await someHistory();
    expect(await hermes(home, "sessions", "rename", WEATHER, "rain", "in\u200b", "Tokyo")).toBe(
      `Session '${WEATHER}' renamed to: rain in Tokyo\n`,
    );
    expect(await hermesJson(home, "sessions", "rename", "rain in Tokyo", "")).toEqual({
      id: WEATHER,
      title: null,
    });
  });

  it("refuses a title in use", async () => {
    const ran = await runHermes(await someHistory(), ["sessions", "rename", WEATHER, "refactoring auth"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^error: .*already in use/);
  });

  it("requires an id where a title means the newest of several", async () => {
    const ran = await runHermes(await someHistory(), ["sessions", "rename", "my project", "another"]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("'my project' continues as 'my project #2' (20250304_150000_cccccccc)");
  });
});

describe("hermes sessions delete", () => {
  it("refuses without a terminal and without --yes, and deletes nothing", async () => {
    const home = await someHistory();
    const ran = await runHermes(home, ["sessions", "delete", AUTH], "y\n");
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^error: .*confirmation.*\nPass --yes/);
    expect(await hermes(home, "sessions", "list")).toContain(AUTH);
  });

  it("deletes with --yes", async () => {
    const home = await someHistory();
    expect(await hermes(home, "sessions", "delete", "20250305", "--yes")).toBe(
      `Deleted session '${AUTH}'.\n`,
    );
    expect(await hermes(home, "sessions", "list")).not.toContain(AUTH);
    expect(await hermesJson(home, "sessions", "delete", WEATHER, "-y")).toEqual({ deleted: WEATHER });
    expect((await runHermes(home, ["sessions", "delete", AUTH, "-y"])).code).toBe(1);
  });
});

describe("hermes sessions prune", () => {
  it("refuses without --yes", async () => {
    expect(await runHermes(await someHistory(), ["sessions", "prune"])).toMatchObject({
      code: 1,
      stdout: "",
    });
  });

  it("deletes only what has ended and is old enough", async () => {
    const home = await someHistory();
    await storeIn(home, (store) => store.endSession(WEATHER, "session_reset"));
    expect(await hermes(home, "sessions", "prune", "--older-than", "2", "--dry-run")).toMatch(
      /^Would prune [1-9]\d* session\(s\) with [1-9]\d* message\(s\)\.\n$/,
    );
    expect(await hermes(home, "sessions", "prune", "--older-than", "30", "-y")).toBe(
      "Pruned 0 session(s).\n",
    );
    expect(await hermes(home, "sessions", "prune", "--older-than", "2", "--source", "cli", "-y")).toBe(
      "Pruned 0 session(s).\n",
    );
    expect(await hermes(home, "sessions", "prune", "--older-than", "2", "-y")).toBe("Pruned 1 session(s).\n");
    expect(await hermesJson(home, "sessions", "prune", "--older-than", "0", "-y")).toEqual({ pruned: 1 });
    const left = await hermes(home, "sessions", "list");
    expect(left).toContain(AUTH);
    expect(left).not.toContain(WEATHER);
    expect(left).not.toContain(PROJECT);
  });
});

describe("hermes sessions optimize and repair", () => {
  it("optimize says what was gained", async () => {
    const home = await someHistory();
    expect(await hermes(home, "sessions", "optimize")).toMatch(/^Database size: \d+\.\d MB → \d+\.\d MB\n/);
    const done = await hermesJson<object>(home, "sessions", "optimize");
    expect(Object.keys(done)).toEqual(["bytes_before", "bytes_after", "converted", "note"]);
  });

  it("repair checks, keeps a copy, and says so", async () => {
    const home = await someHistory();
    expect(await hermes(home, "sessions", "repair", "--check-only")).toBe("The database is intact.\n");
    expect(await hermesJson(home, "sessions", "repair", "--check-only")).toEqual({ ok: true, problems: [] });
    const before = readdirSync(home).length;
    expect(await hermes(home, "sessions", "repair")).toMatch(
      /A copy is kept at .*\nThe database is intact\.\n$/,
    );
    expect(readdirSync(home).length).toBeGreaterThan(before);
    expect(await hermesJson(home, "sessions", "repair")).toMatchObject({
      ok: true,
      copy: expect.any(String),
    });
  });
});
