import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HermesError } from "../../src/errors.js";
import { openStore } from "../../src/store/sqlite/index.js";
import { tempDir, tempStore } from "../support/temp.js";

/** The same verbs run on threads or on the caller's thread, and callers can't tell the difference. */

const ENGINES = [
  ["with threads", true],
  ["without threads", false],
] as const;

describe.each(ENGINES)("a store %s", (_, threads) => {
  const open = (file?: string) => tempStore(file, undefined, { threads });

  it("reads its writes after it was reopened", async () => {
    const { store, file } = await open();
    await store.createSession({ id: "s1", source: "cli" });
    await store.appendMessages("s1", [{ role: "user", content: "Grüße 🐦" }]);
    await store.close();
    const { store: again } = await open(file);
    expect(await again.getConversation("s1")).toMatchObject([{ role: "user", content: "Grüße 🐦" }]);
  });

  it("commits writes of one moment together", async () => {
    const { store } = await open();
    const before = (await store.maintenance.writerStats()).commitSeconds.count;
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.createSession({ id: `s${i}`, source: "cli" })),
    );
    const { commitSeconds, commitWrites } = await store.maintenance.writerStats();
    expect(commitWrites.sum).toBeGreaterThanOrEqual(50);
    expect(commitSeconds.count - before).toBeLessThan(25);
  });

  it("rolls back only the write that fails", async () => {
    const { store } = await open();
    await store.createSession({ id: "s1", source: "cli", title: "Taken" });
    await store.createSession({ id: "s2", source: "cli" });
    const results = await Promise.allSettled([
      store.appendMessages("s1", [{ role: "user", content: "before" }]),
      store.setTitle("s2", "Taken"),
      store.appendMessages("s1", [{ role: "user", content: "after" }]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await store.getMessages("s1")).toHaveLength(2);
  });

  it("rejects with code, message and hint", async () => {
    const { store } = await open();
    await store.createSession({ id: "s1", source: "cli", title: "Taken" });
    await store.createSession({ id: "s2", source: "cli" });
    const [result] = await Promise.allSettled([store.setTitle("s2", "Taken")]);
    const error = (result as PromiseRejectedResult).reason as HermesError;
    expect(error.name).toBe("HermesError");
    expect(error.code).toBe("conflict");
    expect(error.message).toContain("Taken");
  });

  it("takes arguments as they are at the call", async () => {
    const { store } = await open();
    await store.createSession({ id: "s1", source: "cli" });
    const messages = [{ role: "user" as const, content: "first" }];
    const appended = store.appendMessages("s1", messages);
    messages[0]!.content = "changed later";
    messages.push({ role: "user", content: "added later" });
    await appended;
    expect(await store.getMessages("s1")).toMatchObject([{ content: "first" }]);
  });

  it("fails reads that miss their deadline", async () => {
    const { store } = await tempStore(undefined, undefined, { threads, limits: { longMs: 0 } });
    await expect(store.listSessions()).rejects.toThrow("didn't answer in time (listSessions)");
    expect(await store.getSession("s1")).toBeUndefined();
  });

  it("reports the progress of long work and lets other writes in", async () => {
    const { store } = await open();
    const old = Date.now() / 1000 - 100 * 86_400;
    for (let i = 0; i < 300; i += 1) {
      await store.createSession({ id: `s${i}`, source: "cli", started_at: old });
      await store.endSession(`s${i}`, "session_reset");
    }
    const steps: string[] = [];
    const pruning = store.pruneSessions({ olderThanDays: 1 }, ({ step }) => void steps.push(step));
    await store.createSession({ id: "new", source: "cli" });
    expect(await pruning).toMatchObject({ sessions: 300 });
    expect(await store.getSession("new")).toBeDefined();
  });

  it("waits while another process writes", async () => {
    const { store, file } = await open();
    const other = new Database(file);
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    const created = store.createSession({ id: "s1", source: "cli" });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await store.getSession("s1")).toBeUndefined();
    expect((await store.maintenance.writerStats()).waiting).toBe(1);
    other.exec("COMMIT");
    expect(await created).toMatchObject({ id: "s1" });
  });

  it("vacuums, checks and copies its file", async () => {
    const { store, file } = await open();
    await store.createSession({ id: "s1", source: "cli" });
    await store.getSession("s1");
    expect((await store.maintenance.optimize()).bytesAfter).toBeGreaterThan(0);
    expect(await store.maintenance.scrub()).toEqual({ rewritten: true, logEmptied: true });
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    await store.maintenance.backup(`${file}.copy`);
    const { store: copy } = await open(`${file}.copy`);
    expect(await copy.getSession("s1")).toMatchObject({ id: "s1" });
  });

  it("exports and imports", async () => {
    const { store } = await open();
    const { store: other } = await open();
    await store.createSession({ id: "s1", source: "cli" });
    await store.appendMessages("s1", [{ role: "user", content: "Grüße" }]);
    expect(await other.importSessions(store.exportSessions())).toEqual({ imported: 1, skipped: 0 });
    expect(await other.getConversation("s1")).toEqual(await store.getConversation("s1"));
  });

  it("finishes earlier calls before it closes, and rejects later ones", async () => {
    const { store } = await open();
    const created = store.createSession({ id: "s1", source: "cli" });
    await store.close();
    expect(await created).toMatchObject({ id: "s1" });
    await expect(store.createSession({ id: "s2", source: "cli" })).rejects.toThrow("The store is closed.");
    await expect(store.getSession("s1")).rejects.toThrow("The store is closed.");
    await store.close();
  });

  it("leaves no WAL behind", async () => {
    const { store, file } = await open();
    await store.createSession({ id: "s1", source: "cli" });
    await store.getSession("s1");
    await store.close();
    expect(fs.readdirSync(path.dirname(file))).toEqual(["state.db"]);
  });

  it("reads a foreign file only if that is allowed, and never writes to it", async () => {
    const file = path.join(tempDir(), "state.db");
    const db = new Database(file);
    db.exec(`CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (11);
      CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL, title TEXT, archived INTEGER, ended_at REAL, parent_session_id TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL, active INTEGER)`);
    db.close();
    await expect(openStore({ path: file, threads })).rejects.toThrow("belongs to another Hermes program");
    const store = await openStore({ path: file, threads, foreign: "read" });
    onTestFinished(() => store.close());
    expect(await store.getSession("s1")).toBeUndefined();
    await expect(store.createSession({ source: "cli" })).rejects.toThrow("belongs to another Hermes program");
  });

  it("rejects a file that isn't a database", async () => {
    const file = path.join(tempDir(), "state.db");
    fs.writeFileSync(file, "not a database, but long enough to have a header ".repeat(20));
    await expect(openStore({ path: file, threads })).rejects.toThrow("is not an SQLite database");
  });
});
