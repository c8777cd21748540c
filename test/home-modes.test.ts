import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { secureHome } from "../src/home-modes.js";
import { startHousekeeping } from "../src/upkeep/housekeeping.js";
import { Daemon } from "./support/daemon.js";
import { tempDir } from "./support/temp.js";
import { until } from "./support/until.js";

const modeOf = (file: string) => fs.statSync(file).mode & 0o777;

/** A home that others can read, in a folder that they can't. */
function openHome(names: readonly string[], mode = 0o755): string {
  const home = path.join(tempDir(), "home");
  fs.mkdirSync(home);
  for (const name of names) {
    const file = path.join(home, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "");
    fs.chmodSync(file, 0o644);
  }
  fs.chmodSync(home, mode);
  return home;
}

describe("a home accessible to others", () => {
  it("is restricted with the files directly in it, without changing the owner's rights", () => {
    const home = openHome([".env", "config.yaml", "state.db", "run.sh"]);
    fs.chmodSync(path.join(home, "run.sh"), 0o755);
    const changed = secureHome(home).map((file) => path.relative(home, file));
    expect(changed.sort()).toEqual(["", ".env", "config.yaml", "run.sh", "state.db"]);
    expect(modeOf(home)).toBe(0o700);
    expect(modeOf(path.join(home, ".env"))).toBe(0o600);
    expect(modeOf(path.join(home, "run.sh"))).toBe(0o700);
    expect(secureHome(home)).toEqual([]);
  });

  it("isn't changed through links", () => {
    const home = openHome(["state.db"]);
    const elsewhere = path.join(tempDir(), "shared.yaml");
    fs.writeFileSync(elsewhere, "", { mode: 0o644 });
    fs.chmodSync(elsewhere, 0o644);
    fs.symlinkSync(elsewhere, path.join(home, "config.yaml"));
    secureHome(home);
    expect(modeOf(elsewhere)).toBe(0o644);
  });

  it.each([
    ["a folder of others", ["something.txt"], 0o755],
    ["a folder for everybody's files", ["state.db"], 0o1777],
  ])("is rejected if it is %s", (_, names, mode) => {
    const home = openHome(names, mode);
    expect(() => secureHome(home)).toThrow(/accessible to other users \(mode \d{3}\)/);
    expect(fs.statSync(home).mode & 0o7777).toBe(mode);
  });

  it.each([[[]], [["lost+found/x"]]])("is accepted if it is a new volume (%j)", (names) => {
    const home = openHome(names);
    expect(secureHome(home)).toEqual([home]);
  });

  it("is restricted completely in the background, except folders that aren't ours", async () => {
    const home = openHome(["sessions/a.jsonl", "media/in/b.png", "venv/lib.py"]);
    fs.chmodSync(path.join(home, "sessions"), 0o755);
    const lines: string[] = [];
    const note = (_: object, message: string) => lines.push(message);
    const log = { debug: note, info: note, warn: note, error: note };
    const housekeeping = startHousekeeping(home, log);
    await until("it was told", () => lines.length > 0);
    housekeeping.stop();
    expect(modeOf(path.join(home, "sessions"))).toBe(0o700);
    expect(modeOf(path.join(home, "sessions/a.jsonl"))).toBe(0o600);
    expect(modeOf(path.join(home, "media/in/b.png"))).toBe(0o600);
    expect(modeOf(path.join(home, "venv/lib.py"))).toBe(0o644);
    expect(lines).toHaveLength(1);
  });

  it("is restricted at every start of the gateway, and leftovers of killed processes are removed", async () => {
    const daemon = new Daemon({ yaml: "" });
    fs.chmodSync(daemon.home, 0o755);
    fs.chmodSync(daemon.file("config.yaml"), 0o644);
    fs.mkdirSync(daemon.file("sessions"), { mode: 0o755 });
    const left = daemon.file("sessions", ".transcript_0123456789ab.tmp");
    fs.writeFileSync(left, "words");
    fs.utimesSync(left, 1, 1);
    await daemon.start();
    expect([modeOf(daemon.home), modeOf(daemon.file("config.yaml"))]).toEqual([0o700, 0o600]);
    await until("the rest is done", () => modeOf(daemon.file("sessions")) === 0o700 && !fs.existsSync(left));
    await daemon.stop();
  });
});
