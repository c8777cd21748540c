import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_WAL_BYTES } from "../../src/store/sqlite/checkpoints.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { type AutoPruneSettings, autoPrune } from "../../src/upkeep/auto-prune.js";
import { inspect, largeHistory, makeInlineFile, readRows, readTriggers } from "../support/old-schemas.js";
import { appendProcess, type Process, python, storeProcess } from "../support/processes.js";
import { tempDir, tempStore } from "../support/temp.js";
import { until } from "../support/until.js";

const DAY = 86_400;
const now = () => Date.now() / 1000;

/** A session that began so many days ago, with one message that holds its name. */
async function session(
  store: OpenedStore,
  id: string,
  days: number,
  more: { ended?: boolean } & Record<string, unknown> = {},
) {
  const { ended = true, ...rest } = more;
  await store.createSession({ id, source: "cli", started_at: now() - days * DAY, ...rest });
  await store.appendMessages(id, [{ role: "user", content: `word${id} 漓江` }]);
  if (ended) await store.endSession(id, "cli_close");
}

const idsIn = (file: string) => readRows(file, "sessions", ["id"]).map((row) => row.id);
const parentsIn = (file: string) =>
  Object.fromEntries(
    readRows(file, "sessions", ["id", "parent_session_id"]).map((row) => [row.id, row.parent_session_id]),
  );

describe("pruning", () => {
  it("removes old ended sessions with their messages", async () => {
    const { store, file } = await tempStore();
    await session(store, "old", 100);
    await session(store, "open", 100, { ended: false });
    await session(store, "young", 80);
    await session(store, "elsewhere", 100, { source: "telegram" });
    expect(await store.pruneSessions({ olderThanDays: 90, source: "discord" })).toMatchObject({
      sessions: 0,
    });
    expect(await store.pruneSessions({ olderThanDays: 90, source: "cli" })).toMatchObject({ sessions: 1 });
    expect(idsIn(file)).toEqual(["elsewhere", "open", "young"]);
    expect(await store.pruneSessions({ olderThanDays: 90 })).toMatchObject({ sessions: 1 });
    expect(idsIn(file)).toEqual(["open", "young"]);
    expect((await store.searchMessages("wordold")).hits).toEqual([]);
    expect((await store.searchMessages("漓江")).hits).toHaveLength(2);
    expect(await store.reports.stats()).toMatchObject({ sessions: 2, messages: 2 });
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
  });

  it("keeps children as new roots", async () => {
    const { store, file } = await tempStore();
    await session(store, "root", 100);
    await session(store, "child", 99, { parent_session_id: "root", ended: false });
    await session(store, "delegate", 99, {
      parent_session_id: "root",
      model_config: '{"_delegate_from": "root"}',
      ended: false,
    });
    expect(await store.pruneSessions({ olderThanDays: 90 })).toMatchObject({ sessions: 1 });
    expect(parentsIn(file)).toEqual({ child: null, delegate: null });
  });

  it("skips sessions that are reopened meanwhile", async () => {
    const file = path.join(tempDir(), "state.db");
    makeInlineFile(file, largeHistory(40, 60));
    const { store } = await tempStore(file);
    let reopened: Promise<boolean> | undefined;
    await store.pruneSessions({ olderThanDays: 1 }, () => {
      reopened ??= store.reopenSession("s39");
    });
    expect(await reopened).toBe(true);
    expect(idsIn(file)).toEqual(["s39"]);
    expect(await store.getMessages("s39")).toHaveLength(60);
  });
});

describe("deleting", () => {
  it("deletes delegated work and detaches other children", async () => {
    const { store, file } = await tempStore();
    const delegated = (from: string) => ({
      parent_session_id: from,
      model_config: JSON.stringify({ _delegate_from: from }),
    });
    await session(store, "root", 1);
    await session(store, "child", 1, { parent_session_id: "root" });
    await session(store, "delegate", 1, delegated("root"));
    await session(store, "deeper", 1, delegated("delegate"));
    await session(store, "beside", 1, { parent_session_id: "delegate" });
    await session(store, "look-alike", 1, {
      parent_session_id: "root",
      model_config: '{"xdelegatexfrom": 1}',
    });
    expect(await store.deleteSessions(["root"])).toBe(1);
    expect(parentsIn(file)).toEqual({ beside: null, child: null, "look-alike": null });
    expect(await store.deleteSessions(["root"])).toBe(0);
    expect((await store.searchMessages("worddeeper")).hits).toEqual([]);
  });

  it("deletes a session after the work it delegated, so that a killed deletion can be repeated", async () => {
    const { store, file } = await tempStore();
    const config = (from: string) => JSON.stringify({ _delegate_from: from });
    await session(store, "root", 1);
    await session(store, "delegate", 1, { parent_session_id: "root", model_config: config("root") });
    await session(store, "deeper", 1, { parent_session_id: "delegate", model_config: config("delegate") });
    const db = new Database(file);
    db.exec(`CREATE TABLE order_of_deletion (id TEXT);
      CREATE TRIGGER note_deletion AFTER DELETE ON sessions BEGIN INSERT INTO order_of_deletion VALUES (old.id); END`);
    await store.deleteSessions(["root"]);
    expect(db.prepare("SELECT id FROM order_of_deletion").pluck().all()).toEqual([
      "deeper",
      "delegate",
      "root",
    ]);
    db.close();
  });

  it("terminates for a session that is its own delegate", async () => {
    const { store, file } = await tempStore();
    await session(store, "loop", 1, { model_config: '{"_delegate_from": "loop"}' });
    const db = new Database(file);
    db.exec("UPDATE sessions SET parent_session_id = 'loop'");
    db.close();
    expect(await store.deleteSessions(["loop"])).toBe(1);
    expect(idsIn(file)).toEqual([]);
  });
});

describe("automatic pruning", () => {
  const on: AutoPruneSettings = {
    enabled: true,
    retentionDays: 90,
    minIntervalHours: 24,
    vacuumAfterPrune: true,
  };

  it("does nothing unless it is enabled", async () => {
    const { store, file } = await tempStore();
    await session(store, "old", 100);
    expect(await autoPrune(store, { ...on, enabled: false })).toBeUndefined();
    expect(idsIn(file)).toEqual(["old"]);
    expect(await store.getValue("last_auto_prune")).toBeUndefined();
  });

  it("runs once per interval over all processes, and returns space only if something was removed", async () => {
    const { store, file } = await tempStore();
    const { store: other } = await tempStore(file);
    expect(await autoPrune(store, on)).toEqual({ pruned: 0, vacuumed: false });
    await session(store, "old", 100);
    expect(await autoPrune(other, on)).toBeUndefined();
    expect(await autoPrune(store, on)).toBeUndefined();
    const marker = Number(await other.getValue("last_auto_prune"));
    expect(Math.abs(now() - marker)).toBeLessThan(60);

    await other.setValue("last_auto_prune", String(now() - 25 * 3600));
    const both = await Promise.all([autoPrune(store, on), autoPrune(other, on)]);
    expect(both.filter((outcome) => outcome !== undefined)).toEqual([{ pruned: 1, vacuumed: true }]);
    expect(idsIn(file)).toEqual([]);
  });

  it.each(["rubbish", "", "NaN", String(Date.now())])("takes a marker of %j for none", async (marker) => {
    const { store } = await tempStore();
    await store.setValue("last_auto_prune", marker);
    expect(await autoPrune(store, { ...on, vacuumAfterPrune: false })).toEqual({
      pruned: 0,
      vacuumed: false,
    });
    expect(await autoPrune(store, on)).toBeUndefined();
  });

  it("makes the file smaller", async () => {
    const { store, file } = await tempStore();
    await session(store, "old", 100, { ended: false });
    const text = (i: number) => `${i} ${"some text that takes room ".repeat(80)}`;
    await store.appendMessages(
      "old",
      Array.from({ length: 600 }, (_, i) => ({ role: "user", content: text(i) })),
    );
    await store.endSession("old", "cli_close");
    await store.maintenance.optimize();
    const before = fs.statSync(file).size;
    expect(await autoPrune(store, on)).toEqual({ pruned: 1, vacuumed: true });
    expect(fs.statSync(file).size).toBeLessThan(before / 4);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
  });
});

/** Takes the write lock over and over and prints when it had it. */
const LOCKING = `
db = sqlite3.connect(args[0], timeout=0, isolation_level=None)
print("ready", flush=True)
import select
had = []
while not select.select([sys.stdin], [], [], 0)[0]:
    while True:
        try:
            db.execute("BEGIN IMMEDIATE")
            db.execute("ROLLBACK")
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error): raise
            time.sleep(0.001)
    had.append(time.time())
    time.sleep(0.002)
print(json.dumps(had))`;

/** Work that held the lock from its beginning to its end would let the other process in only before and after it. */
async function expectInSlices(file: string, work: () => Promise<unknown>): Promise<void> {
  const locking: Process = python(LOCKING, file);
  await locking.line("ready");
  const began = now();
  await work();
  const ended = now();
  locking.send("stop");
  const had = await locking.result<number[]>();
  expect(had.filter((at) => at > began && at < ended).length).toBeGreaterThan(1);
}

describe("long work", () => {
  it("lets another process write in between", async () => {
    const file = path.join(tempDir(), "state.db");
    makeInlineFile(file, largeHistory(20, 100));
    const { store } = await tempStore(file);
    const steps: string[] = [];
    const seen = ({ step }: { step: string }) => void steps.push(step);
    await expectInSlices(file, () => store.maintenance.optimize(seen));
    expect(steps).toContain("Indexing");
    await expectInSlices(file, () => store.maintenance.repair(seen));
    await expectInSlices(file, () => store.pruneSessions({ olderThanDays: 1 }, seen));
    expect(steps).toContain("Pruning");
    expect(idsIn(file)).toEqual([]);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
  });
});

/** SQLite writes a new salt into the log's header whenever the log starts from its beginning. */
function saltOf(wal: string): string {
  const header = Buffer.alloc(32);
  const file = fs.openSync(wal, "r");
  fs.readSync(file, header);
  fs.closeSync(file);
  return header.toString("hex", 16, 24);
}

describe("the WAL", () => {
  it("stays small while several processes write", async () => {
    const { store, file } = await tempStore(undefined, undefined, { threads: true });
    await store.createSession({ id: "s1", source: "cli" });
    const size = () => fs.statSync(`${file}-wal`).size;
    // Enough for several restarts: a quick machine writes a thousand rows before the first.
    const work = { sessions: ["s1"], perSession: 1500, callers: 1 };
    const writers = ["a", "b", "c"].map((name) => appendProcess(file, { ...work, name }));
    await Promise.all(writers.map((writer) => writer.line("ready")));
    let largest = 0;
    const watch = setInterval(() => {
      largest = Math.max(largest, size());
    }, 5);
    onTestFinished(() => clearInterval(watch));
    const before = saltOf(`${file}-wal`);
    for (const writer of writers) writer.send("go");
    const reports = await Promise.all(writers.map((writer) => writer.result<{ errors: string[] }>()));
    expect(reports.flatMap(({ errors }) => errors)).toEqual([]);
    expect((await store.stats()).messages).toBe(4500);
    // It was restarted, so it had reached its limit.
    expect(saltOf(`${file}-wal`)).not.toBe(before);
    // Without restarts it would reach some five times the limit. How soon one succeeds depends on the other writers.
    expect(largest).toBeLessThan(3 * MAX_WAL_BYTES);
  }, 120_000);

  it("restarts while a writer never pauses", async () => {
    const { store, file } = await tempStore(undefined, undefined, { threads: true });
    await store.createSession({ id: "s1", source: "cli" });
    const text = "All work and no play. ".repeat(1000);
    const salts = new Set<string>();
    for (let i = 0; salts.size < 3; i += 1) {
      await store.appendMessages("s1", [{ role: "user", content: `${i} ${text}` }]);
      salts.add(saltOf(`${file}-wal`));
    }
  }, 60_000);

  it("returns its space after a burst during a long read", async () => {
    const { store, file } = await tempStore(undefined, undefined, { threads: true });
    await store.createSession({ id: "s1", source: "cli" });
    const size = () => fs.statSync(`${file}-wal`).size;
    const reader = new Database(file, { readonly: true });
    onTestFinished(() => void reader.close());
    // While a snapshot is in use, nothing after it can leave the WAL.
    reader.exec("BEGIN; SELECT count(*) FROM messages");
    const content = "All work and no play. ".repeat(10_000);
    while (size() < 3 * MAX_WAL_BYTES) await store.appendMessages("s1", [{ role: "user", content }]);
    reader.exec("COMMIT");
    await until("the WAL is small", () => size() <= MAX_WAL_BYTES, { timeoutMs: 25_000, found: size });
  });
});

describe("a backup", () => {
  it("taken during writes is a consistent, private prefix of them", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "s", source: "cli" });
    const gateway = appendProcess(file, { sessions: ["s"], perSession: 100_000, name: "x" });
    await gateway.line("ready");
    gateway.send("go");
    const hasBoth = async () =>
      (await store.reports.stats()).messages >= 20 && (await store.searchMessages("x")).hits.length > 0;
    while (!(await hasBoth())) await store.appendMessages("s", [{ role: "system", content: "beside" }]);
    const copy = path.join(path.dirname(file), "copy.db");
    await store.maintenance.backup(copy);
    const after = (await store.reports.stats()).messages;
    await gateway.kill();

    expect(fs.statSync(copy).mode & 0o777).toBe(0o600);
    const said = readRows(copy, "messages");
    expect(said.length).toBeGreaterThanOrEqual(20);
    expect(said.length).toBeLessThanOrEqual(after);
    expect(said).toEqual(readRows(file, "messages").slice(0, said.length));
    const { store: opened } = await tempStore(copy);
    expect(await opened.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect((await opened.searchMessages("x")).hits.length).toBeGreaterThan(0);
  });

  it("never replaces its source", async () => {
    const { store, file } = await tempStore();
    await expect(store.maintenance.backup(file)).rejects.toMatchObject({ code: "invalid" });
  });

  it("fails with a clear error if the folder is missing, and leaves nothing", async () => {
    const { store, file } = await tempStore();
    const target = path.join(path.dirname(file), "nowhere", "copy.db");
    await expect(store.maintenance.backup(target)).rejects.toMatchObject({ name: "HermesError" });
    expect(fs.existsSync(path.dirname(target))).toBe(false);
  });
});

/** As somebody with a tool for it would. */
function byHand(file: string, sql: string): void {
  const db = new Database(file);
  db.unsafeMode(true);
  db.exec(sql);
  db.close();
}

/** Noise over the first page of a table. Nobody may have the file open. */
function spoilRoot(file: string, table: string): void {
  const page = inspect(file, (db) =>
    db.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").pluck().get(table),
  ) as number;
  byHand(file, "PRAGMA wal_checkpoint(TRUNCATE)");
  const handle = fs.openSync(file, "r+");
  fs.writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  fs.closeSync(handle);
}

describe("repair", () => {
  it.each([
    [
      "entries that were lost",
      "DELETE FROM messages_fts_content WHERE id IN (2, 3)",
      /messages_fts: 2 message/,
    ],
    [
      "CJK entries that were lost",
      "DELETE FROM messages_fts_trigram_content",
      /messages_fts_trigram: 4 message/,
    ],
    [
      "entries that are outdated",
      "UPDATE messages_fts_content SET c0 = 'x' WHERE id = 1",
      /messages_fts: 1 message/,
    ],
    [
      "entries without a message",
      "INSERT INTO messages_fts(rowid, content) VALUES (99, 'ghost')",
      /no message/,
    ],
    ["a trigger that was dropped", "DROP TRIGGER messages_fts_delete", /messages_fts_delete is missing/],
    [
      "triggers that were dropped while others wrote",
      `DROP TRIGGER messages_fts_insert;
       INSERT INTO messages (session_id, role, content, timestamp) VALUES ('a', 'user', 'unseen', 1)`,
      /messages_fts_insert is missing/,
    ],
    ["a table that was dropped", "DROP TABLE messages_fts", /messages_fts is missing/],
  ])("finds and mends %s, and keeps a copy", async (_, damage, problem) => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "a", source: "cli" });
    const texts = ["walrus 漓江", "pelican 漓江", "otter 漓江", "giraffe 漓江"];
    await store.appendMessages(
      "a",
      texts.map((content) => ({ role: "user", content })),
    );
    const triggers = readTriggers(file);
    byHand(file, damage);
    const { ok, problems } = await store.maintenance.check();
    expect(ok).toBe(false);
    expect(problems.join("\n")).toMatch(problem);

    const report = await store.maintenance.repair();
    expect(report).toMatchObject({ ok: true, repaired: expect.arrayContaining(["messages_fts"]) });
    expect(report.problems.join("\n")).toMatch(problem);
    expect(fs.statSync(report.copy).mode & 0o777).toBe(0o600);
    expect(readRows(report.copy, "messages")).toEqual(readRows(file, "messages"));
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect(readTriggers(file)).toEqual(triggers);
    for (const word of ["walrus", "pelican", "otter"])
      expect((await store.searchMessages(word)).hits).toHaveLength(1);
    expect((await store.searchMessages("漓江")).hits).toHaveLength(4);
  });

  it.each(["messages_fts_data", "messages_fts_content", "messages_fts_trigram_idx"])(
    "mends a file in which pages of %s can't be read",
    async (table) => {
      const { store, file } = await tempStore();
      await store.createSession({ id: "a", source: "cli" });
      const texts = Array.from({ length: 100 }, (_, i) => `walrus${i} ${"漓江 ".repeat(50)}`);
      await store.appendMessages(
        "a",
        texts.map((content) => ({ role: "user", content })),
      );
      await store.close();
      spoilRoot(file, table);

      const { store: again } = await tempStore(file);
      expect((await again.maintenance.check()).ok).toBe(false);
      const report = await again.maintenance.repair();
      expect(report).toMatchObject({ ok: true, repaired: expect.arrayContaining(["messages_fts", "file"]) });
      expect(fs.existsSync(report.copy)).toBe(true);
      expect(await again.maintenance.check()).toEqual({ ok: true, problems: [] });
      expect((await again.searchMessages("walrus42")).hits).toHaveLength(1);
      expect((await again.searchMessages("漓江", { limit: 200 })).hits).toHaveLength(100);
    },
  );

  it("keeps every copy, even of two repairs in the same second", async () => {
    const { store } = await tempStore();
    const copies = [(await store.maintenance.repair()).copy, (await store.maintenance.repair()).copy];
    expect(new Set(copies).size).toBe(2);
    for (const copy of copies) expect(fs.existsSync(copy)).toBe(true);
  });

  it("rebuilds an SQLite index", async () => {
    const { store, file } = await tempStore();
    await session(store, "a", 1);
    byHand(
      file,
      `PRAGMA writable_schema = 1;
       UPDATE sqlite_master SET sql = 'CREATE INDEX idx_sessions_source ON sessions(model)' WHERE name = 'idx_sessions_source'`,
    );
    byHand(file, "INSERT INTO sessions (id, source, model, started_at) VALUES ('b', 'cli', 'm', 1)");
    byHand(
      file,
      `PRAGMA writable_schema = 1;
       UPDATE sqlite_master SET sql = 'CREATE INDEX idx_sessions_source ON sessions(source)' WHERE name = 'idx_sessions_source'`,
    );
    await store.close();
    const { store: again } = await tempStore(file);
    expect((await again.maintenance.check()).problems.join("\n")).toContain("idx_sessions_source");
    expect(await again.maintenance.repair()).toMatchObject({
      ok: true,
      repaired: expect.arrayContaining(["indexes"]),
    });
  });
});

describe("a file without incremental vacuum", () => {
  const autoVacuum = (file: string) => inspect(file, (db) => db.pragma("auto_vacuum", { simple: true }));

  it("is vacuumed as a whole only if no other process has it open", async () => {
    const file = path.join(tempDir(), "state.db");
    makeInlineFile(file, largeHistory(10, 50));
    const { store } = await tempStore(file);
    await store.reports.stats();
    const other = storeProcess(file, "hold");
    await other.line("opened");
    expect(await store.maintenance.optimize()).toMatchObject({
      converted: true,
      note: expect.stringContaining("Another process"),
    });
    expect(autoVacuum(file)).toBe(0);
    expect(inspect(file, (db) => db.pragma("journal_mode", { simple: true }))).toBe("wal");
    await other.end();

    // Reads go on while it is vacuumed.
    const [optimized, ...reads] = await Promise.all([
      store.maintenance.optimize(),
      ...Array.from({ length: 20 }, () => store.getMessages("s1")),
    ]);
    expect(reads.map((rows) => rows.length)).toEqual(Array(20).fill(50));
    expect(optimized).not.toHaveProperty("note");
    expect(optimized.bytesAfter).toBeLessThan(optimized.bytesBefore);
    expect(autoVacuum(file)).toBe(2);
    expect(inspect(file, (db) => db.pragma("journal_mode", { simple: true }))).toBe("wal");
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
  });
});
