import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ExportedSession } from "../../src/store/store.js";
import { AUTH, PROJECT, someHistory, storeIn } from "./support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ExportedSession);

describe("hermes sessions export", () => {
  it("writes one session per line, for its owner alone, and leaves nothing else behind", async () => {
    const home = await someHistory();
    const folder = temporaryFolder();
    const file = join(folder, "backup.jsonl");
    expect(await hermes(home, "sessions", "export", file)).toBe(`Exported 5 sessions to ${file}\n`);
    const sessions = lines(readFileSync(file, "utf8"));
    expect(sessions.find(({ id }) => id === AUTH)).toMatchObject({
      title: "refactoring auth",
      messages: { length: 4 },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["backup.jsonl"]);
  });

  it("filters by source and session, and writes to a pipe", async () => {
    const home = await someHistory();
    expect(lines(await hermes(home, "sessions", "export", "-", "--source", "discord"))).toHaveLength(2);
    const file = join(temporaryFolder(), "one.jsonl");
    expect(await hermes(home, "sessions", "export", file, "--session-id", "20250305")).toBe(
      `Exported 1 session to ${file}\n`,
    );
    expect(await hermesJson(home, "sessions", "export", file, "--source", "telegram")).toEqual({
      exported: 1,
      file,
    });
  });

  it("keeps the file that was there when it fails, and writes through links", async () => {
    const home = await someHistory();
    const folder = temporaryFolder();
    const file = join(folder, "old.jsonl");
    writeFileSync(file, "old");
    expect((await runHermes(home, ["sessions", "export", file, "--session-id", "nope"])).code).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("old");
    symlinkSync(file, join(folder, "link"));
    await hermes(home, "sessions", "export", join(folder, "link"), "--session-id", AUTH);
    expect(lines(readFileSync(file, "utf8"))).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(["link", "old.jsonl"]);
  });

  it("says why it can't write", async () => {
    const home = await someHistory();
    const folder = temporaryFolder();
    expect((await runHermes(home, ["sessions", "export", folder])).stderr).toMatch(
      /^error: .* is not a file\.\n/,
    );
    expect((await runHermes(home, ["sessions", "export", join(folder, "no", "x")])).stderr).toMatch(
      /doesn't exist\.\n$/,
    );
  });
});

describe("hermes sessions import", () => {
  it("restores what was exported, byte for byte", async () => {
    const home = await someHistory();
    const other = join(temporaryFolder(), "new");
    const exported = await hermes(home, "sessions", "export", "-");
    const ran = await runHermes(other, ["sessions", "import", "-"], exported);
    expect(ran).toEqual({ code: 0, stdout: "Imported 5 sessions\n", stderr: "" });
    expect(await hermes(other, "sessions", "export", "-")).toBe(exported);
    expect(statSync(other).mode & 0o777).toBe(0o700);
  });

  it("skips existing sessions, and links children to parents in any order", async () => {
    const home = await someHistory();
    const other = temporaryFolder();
    const file = join(other, "reversed.jsonl");
    const exported = lines(await hermes(home, "sessions", "export", "-")).reverse();
    writeFileSync(file, exported.map((session) => `${JSON.stringify(session)}\n`).join(""));
    expect(await hermesJson(other, "sessions", "import", file)).toEqual({ imported: 5, skipped: 0 });
    expect(await hermes(other, "sessions", "import", file)).toBe(
      `Imported 0 sessions from ${file} (5 skipped: already there)\n`,
    );
    const child = await storeIn(other, (store) => store.getSession("20250304_150000_cccccccc"));
    expect(child?.parent_session_id).toBe(PROJECT);
  });

  it("names the bad line and imports nothing", async () => {
    const home = await someHistory();
    const other = join(temporaryFolder(), "new");
    const exported = await hermes(home, "sessions", "export", "-");
    const ran = await runHermes(other, ["sessions", "import", "-"], `${exported}{"id": 3}\n`);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^error: Line 6: the session has no id\.\nNothing was imported/);
    expect(existsSync(other)).toBe(false);
  });

  it("says why it can't read", async () => {
    const home = temporaryFolder();
    const missing = await runHermes(home, ["sessions", "import", join(home, "nope.jsonl")]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toMatch(/^error: Can't use .*nope\.jsonl: .*doesn't exist\.\n$/);
  });
});

describe("a home that can't be used", () => {
  it("isn't treated as an empty home", async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, "state.db"));
    chmodSync(home, 0o700);
    const ran = await runHermes(home, ["sessions", "list"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^error: .*state\.db/);
    writeFileSync(join(home, "x"), "");
    expect((await runHermes(join(home, "x"), ["sessions", "list"])).code).toBe(1);
  });
});
