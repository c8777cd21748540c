import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.js";
import { collect } from "../support/collect.js";
import {
  columnsOf,
  type History,
  inspect,
  largeHistory,
  makeInlineFile,
  makeNewerFile,
  makeOldFile,
  OLD_VERSIONS,
  type Row,
  readRows,
  readTriggers,
  readVersion,
  sampleHistory,
} from "../support/old-schemas.js";
import { appendProcess, storeProcess } from "../support/processes.js";
import { tempDir, tempStore } from "../support/temp.js";

const SIX_TRIGGERS = ["messages_fts", "messages_fts_trigram"]
  .flatMap((table) => ["delete", "insert", "update"].map((event) => `${table}_${event}`))
  .sort();

/** Everything that stood in a file, by table, in the columns that it had. */
interface Standing {
  columns: { sessions: string[]; messages: string[] };
  sessions: Row[];
  messages: Row[];
}

function standing(file: string, columns?: Standing["columns"]): Standing {
  const of = (table: string) => inspect(file, (db) => columnsOf(db, table));
  const wanted = columns ?? { sessions: of("sessions"), messages: of("messages") };
  return {
    columns: wanted,
    sessions: readRows(file, "sessions", wanted.sessions),
    messages: readRows(file, "messages", wanted.messages),
  };
}

/** The same for large files, where comparing row by row takes long. */
const fingerprint = (file: string, columns: Standing["columns"]) =>
  createHash("sha256")
    .update(JSON.stringify(standing(file, columns)))
    .digest("hex");

const copiesOf = (file: string) =>
  fs
    .readdirSync(path.dirname(file))
    .filter((name) => /^state\.db\.v\d+-\d{8}_\d{6}$/.test(name))
    .map((name) => path.join(path.dirname(file), name));

const leftovers = (file: string) =>
  fs.readdirSync(path.dirname(file)).filter((name) => name.includes("partial"));

const integrity = (file: string) => inspect(file, (db) => db.pragma("integrity_check", { simple: true }));

const find = async (store: Store, query: string) =>
  (await store.searchMessages(query, { limit: 1000 })).hits.map((hit) => hit.id).sort((a, b) => a - b);

async function expectSampleFound(store: Store): Promise<void> {
  expect(await find(store, "walrus")).toEqual([1]);
  expect(await find(store, "web_search")).toEqual([2, 3]);
  expect(await find(store, "penguins")).toEqual([2]);
  expect(await find(store, "pelican")).toEqual([6]);
  expect(await find(store, "桂林山水")).toEqual([5]);
  expect(await find(store, "二维码")).toEqual([6]);
  expect(await find(store, "桂林")).toEqual([5]);
}

describe.each(OLD_VERSIONS)("a file of version %i", (version) => {
  it("becomes version 11 with every row, every trigger and a copy", async () => {
    const file = path.join(tempDir(), "state.db");
    makeOldFile(file, version, sampleHistory({ doubledTitles: version === 3 }));
    const before = standing(file);

    const { store } = await tempStore(file);
    expect(await contentsOf(store)).toMatchObject({
      schemaVersion: 11,
      fullText: "compact",
      sessions: 4,
      messages: 9,
    });
    expect(Object.keys(readTriggers(file))).toEqual(SIX_TRIGGERS);
    await expectSampleFound(store);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect(integrity(file)).toBe("ok");

    const after = standing(file, before.columns);
    expect(after.messages).toEqual(before.messages);
    const titles = version === 3 ? ["the plan", "the plan #2", "the plan #3", null] : undefined;
    expect(after.sessions).toEqual(
      before.sessions.map((row, i) => (titles ? { ...row, title: titles[i]! } : row)),
    );

    const [copy, ...others] = copiesOf(file);
    expect(others).toEqual([]);
    expect(path.basename(copy!)).toContain(`state.db.v${version}-`);
    expect(fs.statSync(copy!).mode & 0o777).toBe(0o600);
    expect(readVersion(copy!)).toBe(version);
    expect(standing(copy!)).toEqual(before);
    expect(leftovers(file)).toEqual([]);
  });
});

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("漓江", "桂林山水甲天下", "it's", '"', "\0json:[1]", "\0json:{", " ", "x".repeat(5000)),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

function historyOf(version: number): fc.Arbitrary<History> {
  const session = fc.record({
    source: fc.constantFrom("cli", "telegram", ""),
    user_id: maybe(text),
    model_config: maybe(text),
    parent: fc.nat(5),
    started_at: fc.double({ min: 0, max: 2e9, noNaN: true }),
    ended_at: maybe(fc.double({ min: 0, max: 2e9, noNaN: true })),
    title: maybe(fc.constantFrom("a", "a #2", "A", "b", "", "a #x", "漓江", "t".repeat(100))),
    estimated_cost_usd: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
    api_call_count: fc.nat(),
  });
  const message = fc.record({
    session: fc.nat(5),
    gap: fc.integer({ min: 1, max: 700 }),
    role: fc.constantFrom("user", "assistant", "tool", "system", "session_meta"),
    content: maybe(text),
    tool_calls: maybe(text),
    tool_name: maybe(text),
    timestamp: fc.double({ min: 0, max: 2e9, noNaN: true }),
    finish_reason: maybe(text),
    reasoning: maybe(text),
    codex_message_items: maybe(text),
  });
  return fc
    .tuple(fc.array(session, { minLength: 1, maxLength: 6 }), fc.array(message, { maxLength: 12 }))
    .map(([sessions, messages]) => {
      const taken = new Set<string>();
      let id = 0;
      return {
        sessions: sessions.map(({ parent, title, ...row }, i) => {
          const free = title !== null && !(version >= 4 && taken.has(title));
          if (free) taken.add(title);
          return {
            id: `s${i}`,
            ...row,
            title: free ? title : null,
            parent_session_id: parent < i ? `s${parent}` : null,
          };
        }),
        messages: messages.map(({ session, gap, ...row }) => {
          id += gap;
          return { id, session_id: `s${session % sessions.length}`, ...row };
        }),
      };
    });
}

async function contentsOf({ reports, maintenance }: Store) {
  return { ...(await reports.stats()), ...(await maintenance.layout()) };
}

describe("random histories of older versions", () => {
  it.each(OLD_VERSIONS)("lose nothing when migrated from version %i", async (version) => {
    await fc.assert(
      fc.asyncProperty(historyOf(version), async (history) => {
        const dir = fs.mkdtempSync(path.join(tempDir(), "case-"));
        const file = path.join(dir, "state.db");
        makeOldFile(file, version, history);
        const before = standing(file);
        const { store } = await tempStore(file);
        const report = await store.maintenance.check();
        await store.close();
        expect(report).toEqual({ ok: true, problems: [] });
        expect(readVersion(file)).toBe(11);
        const after = standing(file, before.columns);
        expect(after.messages).toEqual(before.messages);
        const untitled = (rows: Row[]) => rows.map(({ title: _, ...row }) => row);
        expect(untitled(after.sessions)).toEqual(untitled(before.sessions));
        expectTitlesKept(before.sessions, after.sessions);
      }),
      { numRuns: 2 },
    );
  });
});

it("a migration gives doubled titles numbers that no session has", async () => {
  const file = path.join(tempDir(), "state.db");
  const session = (id: string, started_at: number, title: string) => ({
    ...{ id, source: "cli", user_id: null, model_config: null, started_at, ended_at: null, title },
    ...{ estimated_cost_usd: null, api_call_count: 0, parent_session_id: null },
  });
  const sessions = [session("s0", 1, "a"), session("s1", 3, "a #2"), session("s2", 2, "a")];
  makeOldFile(file, 3, { sessions, messages: [] });
  await tempStore(file);
  const titles = standing(file).sessions.map(({ id, title }) => [id, title]);
  expect(Object.fromEntries(titles)).toEqual({ s0: "a", s1: "a #2", s2: "a #3" });
});

/** Untitled stays untitled; the oldest of several keeps its title, the others are told apart. */
function expectTitlesKept(before: readonly Row[], after: readonly Row[]): void {
  const titles = after.flatMap(({ title }) => (title === null || title === undefined ? [] : [title]));
  expect(new Set(titles).size).toBe(titles.length);
  const oldest = [...before].sort(
    (a, b) => Number(a.started_at) - Number(b.started_at) || (a.id! < b.id! ? -1 : 1),
  );
  for (const [i, { title }] of before.entries()) {
    const now = after[i]!.title ?? null;
    if (title === null || title === undefined) expect(now).toBeNull();
    else if (oldest.find((row) => row.title === title)?.id === before[i]!.id) expect(now).toBe(title);
    else expect(String(now)).toMatch(/ #\d+$/u);
  }
}

describe("a migration", () => {
  it("reports progress", async () => {
    const file = path.join(tempDir(), "state.db");
    makeOldFile(file, 6, largeHistory(10, 200));
    const seen: { step: string; version: number }[] = [];
    await tempStore(file, ({ step }) => seen.push({ step, version: readVersion(file) }));
    expect(seen.map(({ step }) => step)).toEqual(
      expect.arrayContaining(["Keeping a copy", "Upgrading the history"]),
    );
    expect(seen[0]?.version).toBe(6);
  });

  it("starts over when it was killed at any moment", async () => {
    const file = path.join(tempDir(), "state.db");
    makeOldFile(file, 9, largeHistory(10, 600));
    const { columns } = standing(file);
    const before = fingerprint(file, columns);
    let interrupted = 0;
    for (const step of ['progress {"step":"Keeping', 'progress {"step":"Upgrading', "random", "random"]) {
      const process = storeProcess(file, "hold");
      if (step !== "random") await Promise.race([process.line(step), process.line("opened")]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (step === "random" ? 900 : 150)));
      await process.kill();
      if (readVersion(file) === 9) interrupted += 1;
      expect(fingerprint(file, columns)).toBe(before);
    }
    expect(interrupted).toBeGreaterThan(0);

    const { store } = await tempStore(file);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect(readVersion(file)).toBe(11);
    expect(fingerprint(file, columns)).toBe(before);
    expect((await store.searchMessages("漓江", { limit: 1000 })).hits.length).toBeGreaterThan(0);
    for (const copy of copiesOf(file)) {
      expect(readVersion(copy)).toBe(9);
      expect(fingerprint(copy, columns)).toBe(before);
    }
    expect(leftovers(file)).toEqual([]);
  });

  it("runs once when two processes open the file together, and both continue", async () => {
    const file = path.join(tempDir(), "state.db");
    makeOldFile(file, 4, largeHistory(10, 200));
    const before = standing(file);
    const work = { perSession: 20, callers: 2, sessions: ["s0", "s1"] };
    const both = ["a", "b"].map((name) => appendProcess(file, { ...work, name }));
    await Promise.all(both.map((process) => process.line("ready")));
    for (const process of both) process.send("go");
    for (const process of both) expect(await process.result()).toMatchObject({ errors: [] });

    const copies = copiesOf(file);
    expect(copies).toHaveLength(1);
    expect(standing(copies[0]!)).toEqual(before);
    expect(leftovers(file)).toEqual([]);
    const { store } = await tempStore(file);
    expect(await contentsOf(store)).toMatchObject({ schemaVersion: 11, messages: 2000 + 160 });
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
  });

  it("handles duplicate titles in a file that lost its index", async () => {
    const file = path.join(tempDir(), "state.db");
    makeInlineFile(file, sampleHistory());
    const db = new Database(file);
    db.exec("DROP INDEX idx_sessions_title_unique; UPDATE sessions SET title = 'the plan'");
    db.close();
    const { store } = await tempStore(file);
    expect(await contentsOf(store)).toMatchObject({ sessions: 4, messages: 9 });
    expect(readRows(file, "sessions", ["title"]).map((row) => row.title)).toEqual(Array(4).fill("the plan"));
  });
});

describe.each([16, 99])("a file of the newer version %i", (version) => {
  it("is used as it is", async () => {
    const file = path.join(tempDir(), "state.db");
    makeNewerFile(file, version, sampleHistory());
    const before = standing(file);
    const triggers = readTriggers(file);

    const { store } = await tempStore(file);
    await expectSampleFound(store);
    await store.createSession({ id: "mine", source: "telegram", title: "new here" });
    const [id] = await store.appendMessages("mine", [{ role: "user", content: "narwhal 桂林山水" }]);
    await store.endSession("s1", "session_reset");
    expect(await find(store, "narwhal")).toEqual([id]);
    expect(await find(store, "桂林山水")).toEqual([5, id]);
    expect(await store.maintenance.optimize()).toMatchObject({ converted: false });

    const lines = await collect(store.exportSessions());
    expect(lines.find((line) => line.id === "s1")).toMatchObject({ handoff_state: "pending", mood: "keen" });
    expect(lines.find((line) => line.id === "mine")).toMatchObject({ handoff_state: null, mood: "calm" });
    expect(lines.find((line) => line.id === "mine")?.messages[0]).toMatchObject({ compacted: 7 });

    expect(readVersion(file)).toBe(version);
    expect(readTriggers(file)).toEqual(triggers);
    const after = standing(file, before.columns);
    expect(after.sessions.filter((row) => row.id !== "mine")).toEqual(before.sessions);
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    expect(readRows(file, "compression_locks", ["session_id AS id", "holder"])).toEqual([
      { id: "s1", holder: "pid=1" },
    ]);
    expect(inspect(file, (db) => db.prepare("SELECT max(message_id) FROM touched").pluck().get())).toBe(id);
    expect(copiesOf(file)).toEqual([]);
  });

  it("exports its extra columns to another such file", async () => {
    const from = path.join(tempDir(), "state.db");
    const to = path.join(tempDir(), "state.db");
    makeNewerFile(from, version, sampleHistory());
    makeNewerFile(to, version, { sessions: [], messages: [] });
    const { store } = await tempStore(from);
    const { store: other } = await tempStore(to);
    const lines = await collect(store.exportSessions());
    await other.importSessions(lines);
    expect(await collect(other.exportSessions())).toEqual(lines);
  });
});

describe("a column that another process adds while the store is open", () => {
  it("is in the next export", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "a", source: "cli" });
    await collect(store.exportSessions());
    const db = new Database(file);
    db.exec("ALTER TABLE sessions ADD COLUMN mood TEXT DEFAULT 'calm'");
    db.close();
    expect(await collect(store.exportSessions())).toMatchObject([{ id: "a", mood: "calm" }]);
    expect(await store.createSession({ id: "b", source: "cli" })).toMatchObject({ mood: "calm" });
  });
});

const QUERIES = [
  "walrus",
  "walrus0",
  "river* OR stone1",
  "桂林山水",
  "漓江",
  "部署 NOT walrus",
  '"message 3-7"',
  "tiếng Việt",
];

async function answers(store: Store): Promise<unknown[]> {
  const all = [];
  for (const query of QUERIES) {
    const { hits } = await store.searchMessages(query, { sort: "oldest", limit: 50, until: 5000 });
    all.push(hits.map(({ id, snippet }) => [id, snippet]));
  }
  return all;
}

describe("a file in version 11's own layout", () => {
  it("is read and written as it is", async () => {
    const file = path.join(tempDir(), "state.db");
    makeInlineFile(file, sampleHistory());
    const triggers = readTriggers(file);
    const { store } = await tempStore(file);
    await expectSampleFound(store);
    await store.appendMessages("s1", [{ role: "user", content: "narwhal 漓江" }]);
    expect(await find(store, "narwhal")).toEqual([21]);
    expect(await find(store, "漓江")).toEqual([21]);
    expect(await contentsOf(store)).toMatchObject({ fullText: "inline", schemaVersion: 11 });
    expect(readTriggers(file)).toEqual(triggers);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect(copiesOf(file)).toEqual([]);
  });

  it("is converted by optimize during appends, with the same search results", async () => {
    const file = path.join(tempDir(), "state.db");
    makeInlineFile(file, largeHistory(20, 100));
    const { store } = await tempStore(file);
    const before = await answers(store);
    expect(before.flat().length).toBeGreaterThan(100);

    const gateway = appendProcess(file, {
      sessions: ["s0", "s1", "s2"],
      perSession: 40,
      callers: 3,
      name: "beside",
    });
    await gateway.line("ready");
    gateway.send("go");
    expect(await store.maintenance.optimize()).toMatchObject({ converted: true });
    expect(await gateway.result()).toMatchObject({ errors: [] });

    expect(await contentsOf(store)).toMatchObject({
      fullText: "compact",
      schemaVersion: 11,
      messages: 2000 + 360,
    });
    expect(await answers(store)).toEqual(before);
    expect(await find(store, "beside")).toHaveLength(360);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect(Object.keys(readTriggers(file))).toEqual(SIX_TRIGGERS);
  });

  it("survives a kill at any moment of the conversion", async () => {
    const file = path.join(tempDir(), "state.db");
    makeInlineFile(file, largeHistory(10, 200));
    const { columns } = standing(file);
    const before = fingerprint(file, columns);
    for (const step of ["Indexing", "Removing the old index", "Merging the index"]) {
      const process = storeProcess(file, "optimize");
      await Promise.race([process.line(`progress {"step":"${step}"`), process.line("result")]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      await process.kill();
      expect(fingerprint(file, columns)).toBe(before);
      // Whoever comes next finds a file that works.
      const id = `after ${step} ${Math.random()}`;
      const { store } = await tempStore(file);
      await store.createSession({ id, source: "cli" });
      await store.appendMessages(id, [{ role: "user", content: "narwhal 鲸鱼" }]);
      expect((await store.searchMessages("narwhal", { sources: ["cli"] })).hits[0]?.session_id).toBeDefined();
      expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
      await store.deleteSessions([id]);
      await store.close();
    }
    const { store } = await tempStore(file);
    await store.maintenance.optimize();
    expect(await contentsOf(store)).toMatchObject({ fullText: "compact" });
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect(fingerprint(file, columns)).toBe(before);
    const names = inspect(file, (db) =>
      db.prepare("SELECT name FROM sqlite_master").pluck().all(),
    ) as string[];
    expect(names.filter((name) => /^gw_(new|old)_/.test(name))).toEqual([]);
  });
});
