import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openBackup } from "../src/backup/restore.js";
import { BackupSchedule } from "../src/backup/schedule.js";
import { checkHome } from "../src/cli/doctor/files.js";
import { homePaths } from "../src/config/paths.js";
import { copiesOf, fileExists } from "../src/people/files.js";
import { Transcripts } from "../src/sessions/transcript.js";
import { readLock } from "../src/store/sqlite/lock.js";
import { listMemories } from "../src/tools/memory-files.js";
import { tempDir } from "./support/temp.js";
import { until } from "./support/until.js";

/** Neither missing nor readable, also for root. */
function unreadable(...names: string[]): string {
  const home = tempDir();
  const file = path.join(home, ...names);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.symlinkSync(file, file);
  return home;
}

const noSessions = { getSession: async () => null } as never;
const noCheck = () => Promise.reject(new Error("not reached"));

describe("what can't be read isn't taken for missing:", () => {
  const looks: [string, string[], (home: string, file: string) => Promise<unknown>, unknown][] = [
    ["notes about people", ["people"], (home) => listMemories(home).then(({ owners }) => owners), []],
    ["a person's file", ["a.md"], (_, file) => fileExists(file), false],
    ["backups, in an erasure", ["backups"], (home, file) => copiesOf(homePaths(home), file), []],
    ["transcripts", ["sessions"], (_, dir) => new Transcripts({ dir }).tidy(noSessions), 0],
    ["the lock", ["gateway.lock.db"], (home) => readLock(home).then(({ running }) => running), false],
    ["the home", ["home"], (_, file) => checkHome(file).then(({ state }) => state), "warn"],
  ];
  it.each(looks)("%s", async (_, names, look, whenMissing) => {
    const home = unreadable(...names);
    const file = path.join(home, ...names);
    await expect(look(home, file)).rejects.toMatchObject({ code: "ELOOP" });
    fs.unlinkSync(file);
    expect(await look(home, file)).toEqual(whenMissing);
    expect(await look(path.join(home, "none"), path.join(home, "none", "x"))).toEqual(whenMissing);
  });

  it("a backup to restore", async () => {
    const home = unreadable("b.tar.gz");
    const file = path.join(home, "b.tar.gz");
    await expect(openBackup(file, home, noCheck)).rejects.toMatchObject({ code: "ELOOP" });
    fs.unlinkSync(file);
    await expect(openBackup(file, home, noCheck)).rejects.toMatchObject({ code: "not_found" });
  });

  it("the folder of scheduled backups, which is in the log", async () => {
    const home = unreadable("backups");
    const errors: object[] = [];
    const log = { error: (fields: object) => void errors.push(fields), info: () => {} };
    const folder = path.join(home, "backups");
    const schedule = new BackupSchedule({ home, folder, everyHours: 1, keep: 1, log } as never);
    schedule.start();
    await until("it has failed", () => errors.length > 0);
    await schedule.stop();
    expect(errors).toMatchObject([{ err: { code: "ELOOP", syscall: "scandir" } }]);
  });
});
