import fs from "node:fs";
import path from "node:path";
import { create } from "tar";
import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { readRows } from "../support/old-schemas.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

async function made(home: string, ...args: string[]): Promise<{ file: string; files: number }> {
  const ran = await runHermes(home, ["backup", "--json", ...args]);
  expect(ran).toMatchObject({ code: 0 });
  return JSON.parse(ran.stdout);
}

const everything = (home: string) => {
  const file = path.join(home, "state.db");
  return {
    sessions: readRows(file, "sessions"),
    messages: readRows(file, "messages"),
    inbox: readRows(file, "gw_inbox"),
  };
};

describe("hermes backup and restore", () => {
  it("backs up under load and restores an equal database", async () => {
    const daemon = await new Daemon({ yaml: "http: {token: a-token-of-mine}\n" }).start();
    const people = Array.from({ length: 4 }, () => new WebClient(daemon.url, { token: "a-token-of-mine" }));
    let going = true;
    let said = 0;
    const talking = people.map(async (person) => {
      for (let n = 1; going; n += 1) {
        await person.send(`message ${said++}`);
        await person.told("answer", n);
      }
    });
    await until("a few answers", () => said > 20);
    const { file } = await made(daemon.home);
    const during = said;
    await until("more answers", () => said > during + 4);
    going = false;
    await Promise.all(talking);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(daemon.home).filter((name) => name.startsWith(".backup"))).toEqual([]);

    const refused = await runHermes(daemon.home, ["restore", file, "--yes"]);
    expect(refused.stderr).toMatch(/A gateway is running/);
    await daemon.stop();

    // A second one, of the home at rest, is equal to the byte of every row.
    fs.chmodSync(path.join(daemon.home, "sessions"), 0o755);
    const rest = await made(daemon.home);
    const before = everything(daemon.home);
    const elsewhere = path.join(tempDir(), "home");
    const restored = await runHermes(elsewhere, ["restore", rest.file, "--yes"]);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(everything(elsewhere)).toEqual(before);
    expect(fs.readFileSync(path.join(elsewhere, "config.yaml"), "utf8")).not.toContain("a-token-of-mine");
    expect(fs.statSync(path.join(elsewhere, "sessions")).mode & 0o777).toBe(0o700);
    for (const folder of ["sessions"])
      expect(fs.readdirSync(path.join(elsewhere, folder)).sort()).toEqual(
        fs.readdirSync(path.join(daemon.home, folder)).sort(),
      );

    // The first one holds a moment in between: whole turns, each a prefix of what was said.
    const third = path.join(tempDir(), "home");
    expect((await runHermes(third, ["restore", file, "--yes"])).code).toBe(0);
    const then = everything(third);
    expect(then.messages.length).toBeGreaterThan(20);
    expect(then.messages).toEqual(before.messages.slice(0, then.messages.length));
    const again = await new Daemon({ home: third }).start();
    await again.stop();
  }, 60_000);

  it("moves existing files aside and keeps the home's configuration", async () => {
    const daemon = await new Daemon({ yaml: "timezone: Asia/Tokyo\n" }).start();
    const person = new WebClient(daemon.url);
    await person.send("hello");
    await person.told("answer");
    await daemon.stop();
    const hook = daemon.file("hooks", "notify", "handler.mjs");
    fs.mkdirSync(path.dirname(hook), { recursive: true });
    fs.writeFileSync(hook, "from the backup");
    const { file } = await made(daemon.home);
    fs.writeFileSync(hook, "of this home");
    fs.writeFileSync(path.join(daemon.home, "config.yaml"), "timezone: Europe/Rome\n");
    const ran = await runHermes(daemon.home, ["restore", file, "--yes", "--json"]);
    const { kept, config, hooks_left_out } = JSON.parse(ran.stdout) as {
      kept: string;
      config: string;
      hooks_left_out: string[];
    };
    // Code that would run needs a yes of its own.
    expect(hooks_left_out).toEqual(["notify"]);
    expect(fs.readFileSync(hook, "utf8")).toBe("of this home");
    expect(fs.existsSync(path.join(kept, "state.db"))).toBe(true);
    expect(fs.readFileSync(path.join(daemon.home, "config.yaml"), "utf8")).toContain("Rome");
    expect(fs.readFileSync(config, "utf8")).toContain("Tokyo");
    expect(everything(daemon.home).messages).toHaveLength(2);

    const plain = await runHermes(daemon.home, ["restore", file, "--yes"]);
    expect(plain.stdout).toContain(
      `Its hooks were not installed (notify). With them: hermes restore ${file} --with-hooks`,
    );
    expect((await runHermes(daemon.home, ["restore", file, "--yes", "--with-hooks"])).code).toBe(0);
    expect(fs.readFileSync(hook, "utf8")).toBe("from the backup");
  });

  it("rejects a damaged or foreign archive and changes nothing", async () => {
    const daemon = await new Daemon().start();
    await daemon.stop();
    const { file } = await made(daemon.home);
    const before = fs.readdirSync(daemon.home).sort();
    const bytes = fs.readFileSync(file);
    const cut = path.join(tempDir(), "cut.tar.gz");
    fs.writeFileSync(cut, bytes.subarray(0, bytes.length / 2));
    const foreign = path.join(tempDir(), "foreign.tar.gz");
    await create({ gzip: true, file: foreign, cwd: daemon.home }, ["state.db"]);
    for (const bad of [cut, foreign, path.join(tempDir(), "none.tar.gz")]) {
      const ran = await runHermes(daemon.home, ["restore", bad, "--yes"]);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/can't be restored|There is no file/);
    }
    expect((await runHermes(daemon.home, ["restore", file, "--check"])).stdout).toContain(
      "complete and intact",
    );
    expect(fs.readdirSync(daemon.home).sort()).toEqual(before);
  });

  it("names the archive by time, and replaces only another backup", async () => {
    const daemon = await new Daemon().start();
    await daemon.stop();
    const folder = tempDir();
    const inFolder = await runHermes(daemon.home, ["backup", "--to", folder]);
    expect(inFolder).toMatchObject({ code: 0, stderr: "" });
    expect(fs.readdirSync(folder)).toEqual([expect.stringMatching(/^hermes-\d{8}_\d{6}\.tar\.gz$/)]);
    const again = path.join(folder, fs.readdirSync(folder)[0]!);
    expect((await runHermes(daemon.home, ["backup", "--to", again])).code).toBe(0);
    const database = path.join(daemon.home, "state.db");
    const slip = await runHermes(daemon.home, ["backup", "--to", database]);
    expect(slip).toMatchObject({ code: 1, stdout: "" });
    expect(slip.stderr).toBe(
      `error: ${database} exists and isn't a backup.\nName another file, or a folder.\n`,
    );
    expect(everything(daemon.home).messages).toEqual([]);
  });

  it("creates no home for a check", async () => {
    const daemon = await new Daemon().start();
    await daemon.stop();
    const { file } = await made(daemon.home);
    const home = path.join(tempDir(), "none");
    expect((await runHermes(home, ["restore", "nothing.tar.gz"])).stderr).toMatch(/^error: There is no file/);
    expect((await runHermes(home, ["restore", file, "--check"])).code).toBe(0);
    expect((await runHermes(home, ["restore", file])).code).toBe(1);
    expect(fs.existsSync(home)).toBe(false);
  });

  it("makes scheduled backups and keeps the configured number", async () => {
    const folder = tempDir();
    const old = ["20250101_000000", "20250102_000000"].map((stamp) =>
      path.join(folder, `hermes-${stamp}.tar.gz`),
    );
    for (const file of old) {
      fs.writeFileSync(file, "old");
      fs.utimesSync(file, 1, 1);
    }
    const daemon = await new Daemon({
      yaml: `backup: {every_hours: 24, keep: 2, folder: ${folder}}\n`,
    }).start();
    await until("the new one in place of the oldest", () => !fs.existsSync(old[0]!));
    expect(fs.readdirSync(folder)).toHaveLength(2);
    await daemon.restart();
    await daemon.stop();
    expect(fs.readdirSync(folder)).toHaveLength(2);
  });
});
