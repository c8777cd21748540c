import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/sqlite/index.js";
import { inspect, largeHistory, makeInlineFile, readRows } from "../support/old-schemas.js";
import { Process, storeProcess } from "../support/processes.js";
import { tempDir, tempStore } from "../support/temp.js";

interface Told {
  name?: string;
  code: string;
  message: string;
  hint: string;
}

/** One sentence for people, and what to do. */
function expectSentence(error: Told): void {
  expect(error).toMatchObject({ code: "unavailable", hint: expect.stringMatching(/\.$/) });
  expect(error.message).toMatch(/^[^\n]+\.$/);
  expect(error.message).not.toMatch(/SqliteError|SQLITE_|\bE[A-Z]{4,}:|undefined/);
}

async function refusal(file: string): Promise<Told> {
  const attempt = openStore({ path: file, foreign: "adopt" });
  const error = await attempt.then(
    (store) => store.close().then(() => undefined),
    (thrown: unknown) => thrown,
  );
  expect(error, "the file was opened").toBeInstanceOf(Error);
  return error as Told;
}

/** A sound file with a few thousand messages. */
function soundFile(file: string): Buffer {
  makeInlineFile(file, largeHistory(5, 100));
  return fs.readFileSync(file);
}

/** The same, as this program completes it. */
async function ownFile(file: string): Promise<void> {
  soundFile(file);
  await (await openStore({ path: file, foreign: "adopt" })).close();
}

describe("an unusable file gives one clear sentence and is not changed", () => {
  const cases: [string, (file: string) => void, RegExp][] = [
    ["random bytes", (file) => fs.writeFileSync(file, randomBytes(20_000)), /is not an SQLite database/],
    [
      "a text",
      (file) => fs.writeFileSync(file, "SQLite is nice, but this is a letter.\n"),
      /is not an SQLite database/,
    ],
    ["a few bytes", (file) => fs.writeFileSync(file, "SQL"), /is not an SQLite database/],
    [
      "nothing but a header",
      (file) => fs.writeFileSync(file, soundFile(`${file}.0`).subarray(0, 100)),
      /is truncated/,
    ],
    ["cut off in the middle", (file) => fs.truncateSync(file, soundFile(file).length / 2), /is truncated/],
    ["cut off within a page", (file) => fs.truncateSync(file, soundFile(file).length - 100), /is truncated/],
    ["another program's database", (file) => otherProgram(file), /is a database of another program/],
    [
      "another program's database in WAL mode",
      (file) => otherProgram(file, "WAL"),
      /is a database of another program/,
    ],
    ["a header with rubbish behind", (file) => spoil(file, 100, soundFile(file).length), /is damaged/],
  ];
  it.each(cases)("%s", async (_, make, message) => {
    const file = path.join(tempDir(), "state.db");
    make(file);
    const before = fs.readFileSync(file);
    const error = await refusal(file);
    expectSentence(error);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(file);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  it("a folder instead of the file", async () => {
    const file = path.join(tempDir(), "state.db");
    fs.mkdirSync(file);
    const error = await refusal(file);
    expectSentence(error);
    expect(error.message).toContain("it is a folder");
  });

  it("a file instead of its folder", async () => {
    const dir = tempDir();
    fs.writeFileSync(path.join(dir, "home"), "");
    expectSentence(await refusal(path.join(dir, "home", "state.db")));
    expectSentence(await refusal(path.join(dir, "home", "deeper", "state.db")));
  });
});

function otherProgram(file: string, mode = "DELETE"): void {
  const db = new Database(file);
  db.pragma(`journal_mode = ${mode}`);
  db.exec(
    "CREATE TABLE messages (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO messages (body) VALUES ('hello')",
  );
  db.close();
}

function spoil(file: string, from: number, to: number): void {
  const bytes = fs.readFileSync(file);
  randomBytes(to - from).copy(bytes, from);
  fs.writeFileSync(file, bytes);
}

const NOBODY = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;

/** Opens as a user without rights, tells what it was told. */
async function refusalAsNobody(file: string): Promise<Told> {
  const asNobody = storeProcess(file, "none", [], NOBODY);
  const { error } = await asNobody.result<{ error: Told }>();
  expect(error.name).toBe("HermesError");
  return error;
}

/** A folder that the other user can reach. */
function openDir(): string {
  const dir = tempDir();
  fs.chmodSync(dir, 0o755);
  return dir;
}

describe.runIf(isRoot)("without permission, the error says so and nothing changes", () => {
  it.each([
    ["a file that can't be read", 0o600, 0o755],
    ["a file that can't be written", 0o644, 0o777],
    ["a folder that can't be written", 0o666, 0o755],
    ["a folder that can't be entered", 0o666, 0o700],
  ])("%s", async (_, fileMode, dirMode) => {
    const dir = openDir();
    const file = path.join(dir, "state.db");
    const before = soundFile(file);
    fs.chmodSync(file, fileMode);
    fs.chmodSync(dir, dirMode);
    expectSentence(await refusalAsNobody(file));
    expect(fs.readFileSync(file).equals(before)).toBe(true);
    expect(fs.readdirSync(dir)).toEqual(["state.db"]);
  });

  it("a new file in a read-only folder", async () => {
    const dir = openDir();
    expectSentence(await refusalAsNobody(path.join(dir, "state.db")));
    expectSentence(await refusalAsNobody(path.join(dir, "home", "state.db")));
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});

/** Fills the store until a write fails, tells what it was told, and whether it goes on when there is room again. */
const FILL = (dist: string) => `
  import fs from "node:fs";
  import { openStore } from ${JSON.stringify(dist)};
  const [file, ballast] = process.argv.slice(1);
  const store = await openStore({ path: file });
  await store.createSession({ id: "s", source: "cli" }).catch(() => undefined);
  let written = (await store.getMessages("s")).length, error;
  while (!error && written < 5000) {
    const content = written + " " + "walrus 漓江 ".repeat(100) + Math.random();
    await store.appendMessages("s", [{ role: "user", content }]).then(() => (written += 1), (e) => (error = e));
  }
  const read = (await store.getMessages("s")).length;
  const found = (await store.searchMessages("walrus", { limit: 10000 })).hits.length;
  let again = "not tried";
  if (ballast) {
    fs.rmSync(ballast);
    again = await store.appendMessages("s", [{ role: "user", content: "room" }]).then(() => "worked", (e) => e.message);
  }
  await store.close().catch(() => undefined);
  const told = error && { name: error.name, code: error.code, message: error.message, hint: error.hint };
  console.log(JSON.stringify({ error: told, written, read, found, again }));`;

interface Filled {
  error: Told;
  written: number;
  read: number;
  found: number;
  again: string;
}

const dist = new URL("../../dist/store/sqlite/index.js", import.meta.url).href;
const fillArgs = (...args: string[]) => [process.execPath, "--input-type=module", "-e", FILL(dist), ...args];

async function expectIntact(file: string, written: number): Promise<void> {
  const { store } = await tempStore(file);
  expect(await store.getMessages("s")).toHaveLength(written);
  expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
  const [id] = await store.appendMessages("s", [{ role: "user", content: "narwhal" }]);
  expect((await store.searchMessages("narwhal")).hits.map((hit) => hit.id)).toEqual([id]);
}

describe("a write on a full disk", () => {
  it("fails at the file size limit and keeps everything before it", async () => {
    const file = path.join(tempDir(), "state.db");
    // In blocks of 1024 bytes.
    const limited = new Process("bash", ["-c", 'ulimit -f 2000; exec "$@"', "bash", ...fillArgs(file)]);
    const { error, written, read, found } = await limited.result<Filled>();
    expect(error).toMatchObject({ name: "HermesError", code: "unavailable", hint: expect.any(String) });
    expect(error.message).toMatch(/^(The disk failed|The disk is full)[^\n]*\.$/);
    expect(written).toBeGreaterThan(10);
    expect(read).toBe(written);
    expect(found).toBe(written);
    await expectIntact(file, written);
  });

  const canMount = spawnSync("bash", ["-c", "unshare -rm true"]).status === 0;
  it.runIf(canMount)(
    "is refused on a full disk, works again when there is room, and loses nothing",
    async () => {
      const dir = tempDir();
      // A small disk of its own, seen by that process only; what it holds at the end is copied out.
      const script = `mount -t tmpfs -o size=4m tmpfs "$0" && mkdir "$0/d" && head -c 500000 /dev/zero > "$0/ballast" &&
      "$@" && cp "$0"/d/state.db* "$0/.."/out/`;
      fs.mkdirSync(path.join(dir, "disk"));
      fs.mkdirSync(path.join(dir, "out"));
      const disk = path.join(dir, "disk");
      const fill = fillArgs(path.join(disk, "d", "state.db"), path.join(disk, "ballast"));
      const small = new Process("bash", [
        "-c",
        'exec unshare -rm bash -c "$@"',
        "bash",
        script,
        disk,
        ...fill,
      ]);
      const { error, written, read, found, again } = await small.result<Filled>();
      expectSentence(error);
      expect(error.message).toContain("disk is full");
      expect(written).toBeGreaterThan(10);
      expect([read, found, again]).toEqual([written, written, "worked"]);
      await expectIntact(path.join(dir, "out", "state.db"), written + 1);
    },
  );
});

describe("a file with damaged pages", () => {
  it("is reported by check, and repair keeps a copy of it first", async () => {
    const file = path.join(tempDir(), "state.db");
    await ownFile(file);
    // The messages themselves stay whole.
    spoilTable(file, "messages_fts_trigram_data");
    const before = readRows(file, "messages");
    const { store } = await tempStore(file);
    const report = await store.maintenance.check();
    expect(report.ok).toBe(false);
    expect(report.problems.length).toBeGreaterThan(0);

    // Pages that can't be read can't be given back either: it says so, and what is whole stays.
    await store.maintenance.repair().catch(expectSentence);
    const copies = fs
      .readdirSync(path.dirname(file))
      .filter((name) => /^state\.db\.repair-\d{8}_\d{6}$/.test(name));
    expect(copies).toHaveLength(1);
    const copy = path.join(path.dirname(file), copies[0]!);
    expect(fs.statSync(copy).mode & 0o777).toBe(0o600);
    expect(readRows(copy, "messages")).toEqual(before);
    expect(readRows(file, "messages")).toEqual(before);
  });

  it("reads undamaged pages and gives one sentence for the others", async () => {
    const file = path.join(tempDir(), "state.db");
    await ownFile(file);
    spoilTable(file, "messages");
    const { store } = await tempStore(file);
    const read = await Promise.allSettled(["s0", "s1", "s2", "s3", "s4"].map((id) => store.getMessages(id)));
    const failed = read.flatMap((one) => (one.status === "rejected" ? [one.reason as Told] : []));
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(5);
    for (const error of failed) expectSentence(error);
    expect(await store.maintenance.check()).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.any(String)]),
    });
  });
});

/** Overwrites a leaf page in the middle of a table. */
function spoilTable(file: string, table: string): void {
  const { page, size } = inspect(file, (db) => ({
    page: db
      .prepare(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 10",
      )
      .pluck()
      .get(table) as number,
    size: db.pragma("page_size", { simple: true }) as number,
  }));
  spoil(file, (page - 1) * size, page * size);
}
