import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.js";
import { inspect } from "../support/old-schemas.js";
import { appendProcess, type Process, python, storeProcess } from "../support/processes.js";
import { tempDir, tempStore } from "../support/temp.js";

/** As Hermes connects: WAL, foreign keys, one second of patience and then its own retries. */
const CONNECT = `
db = sqlite3.connect(args[0], timeout=1.0, isolation_level=None)
db.execute("PRAGMA foreign_keys=ON")
def write(work):
    for attempt in range(100):
        try:
            db.execute("BEGIN IMMEDIATE")
            result = work()
            db.execute("COMMIT")
            return result
        except sqlite3.OperationalError as error:
            if db.in_transaction: db.execute("ROLLBACK")
            if "locked" not in str(error) and "busy" not in str(error): raise
            time.sleep(0.02)
    raise SystemExit("locked out")
def append(session, role, content, tool_name=None, tool_calls=None):
    db.execute("INSERT INTO messages (session_id, role, content, tool_name, tool_calls, timestamp) VALUES (?,?,?,?,?,?)",
        (session, role, content, tool_name, tool_calls, time.time()))
    db.execute("UPDATE sessions SET message_count = message_count + 1 WHERE id = ?", (session,))
`;

const ask = <T>(code: string, ...args: string[]) => python(CONNECT + code, ...args).result<T>();

const find = async (store: Store, query: string) =>
  (await store.searchMessages(query)).hits.map((hit) => hit.id);

describe("Python's sqlite3 on our file", () => {
  it("reads our messages through both indexes", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "ours", source: "telegram", title: "plan" });
    const ids = await store.appendMessages("ours", [
      { role: "user", content: "the walrus waits" },
      { role: "user", content: "去看桂林山水吧" },
      {
        role: "assistant",
        tool_calls: [{ id: "1", function: { name: "web_search", arguments: '{"q":"pelican"}' } }],
      },
      { role: "user", content: [{ type: "text", text: "看二维码在这里" }] },
    ]);
    const answer = await ask<Record<string, unknown>>(
      `
match = lambda table, query: [r[0] for r in db.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (query,))]
print(json.dumps({
  "version": db.execute("SELECT version FROM schema_version").fetchone()[0],
  "journal": db.execute("PRAGMA journal_mode").fetchone()[0],
  "walrus": match("messages_fts", "walrus"), "tool": match("messages_fts", "web_search"),
  "arguments": match("messages_fts", "pelican"), "cjk": match("messages_fts_trigram", '"桂林山"'),
  "structured": match("messages_fts_trigram", '"二维码"'),
  "count": db.execute("SELECT message_count FROM sessions").fetchone()[0],
  "integrity": db.execute("PRAGMA integrity_check").fetchone()[0],
}))`,
      file,
    );
    expect(answer).toEqual({
      version: 11,
      journal: "wal",
      walrus: [ids[0]],
      tool: [ids[2]],
      arguments: [ids[2]],
      cjk: [ids[1]],
      structured: [ids[3]],
      count: 4,
      integrity: "ok",
    });
  });

  it("writes, changes and deletes messages, and our search follows", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "ours", source: "cli" });
    await store.appendMessages("ours", [{ role: "user", content: "otter 漓江渔火" }]);
    expect(await find(store, "漓江")).toEqual([1]);
    await ask(
      `
def work():
    db.execute("INSERT INTO sessions (id, source, user_id, started_at) VALUES ('theirs', 'cli', NULL, ?)", (time.time(),))
    append("theirs", "user", "a walrus from Python")
    append("theirs", "user", "桂林山水甲天下")
    append("theirs", "tool", "{}", "web_search", '[{"function": {"arguments": "pelican"}}]')
    append("theirs", "user", "\\0json:" + json.dumps([{"type": "text", "text": "看二维码在这里"}], ensure_ascii=False))
write(work)
write(lambda: append("ours", "user", "narwhal"))
print(json.dumps(db.execute("PRAGMA integrity_check").fetchone()[0]))`,
      file,
    );
    expect(await find(store, "walrus")).toEqual([2]);
    expect(await find(store, "桂林山水")).toEqual([3]);
    expect(await find(store, "桂林")).toEqual([3]);
    expect(await find(store, "web_search")).toEqual([4]);
    expect(await find(store, "pelican")).toEqual([4]);
    expect(await find(store, "二维码")).toEqual([5]);
    expect(await find(store, "narwhal")).toEqual([6]);
    expect(await store.getSession("ours")).toMatchObject({ message_count: 2 });
    expect((await store.getMessages("theirs")).at(-1)?.content).toEqual([
      { type: "text", text: "看二维码在这里" },
    ]);

    const [structured] = await store.appendMessages("ours", [
      { role: "user", content: [{ text: "小熊猫在树上" }] },
    ]);
    expect(await find(store, "小熊猫")).toEqual([structured]);
    await ask(
      `
write(lambda: db.execute("DELETE FROM messages WHERE content LIKE '%walrus%' OR id IN (5, ${structured})"))
write(lambda: db.execute("UPDATE messages SET content = 'now a 长颈鹿 giraffe' WHERE id = 3"))
write(lambda: db.execute("UPDATE messages SET content = 'no longer Chinese' WHERE id = 1"))
print(json.dumps(db.execute("PRAGMA integrity_check").fetchone()[0]))`,
      file,
    );
    for (const gone of ["walrus", "桂林山水", "桂林", "二维码", "漓江", "otter", "小熊猫", "json"]) {
      expect(await find(store, gone), gone).toEqual([]);
    }
    expect(await find(store, "长颈鹿")).toEqual([3]);
    expect(await find(store, "giraffe")).toEqual([3]);
    expect(await find(store, "Chinese")).toEqual([1]);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
  });

  it("leaves our write-ahead log alone when it closes", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "ours", source: "cli" });
    // Each of these has a connection of its own in this process.
    await store.getSession("ours");
    await store.maintenance.check();
    await store.maintenance.backup(`${file}.copy`);
    const { ino } = fs.statSync(`${file}-wal`);
    await ask('db.execute("SELECT count(*) FROM sessions").fetchone(); db.close(); print("null")', file);
    expect(fs.statSync(`${file}-wal`).ino).toBe(ino);
  });

  it("doesn't roll back our writes with its own", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "ours", source: "cli" });
    const holder = python(
      `${CONNECT}
db.execute("BEGIN IMMEDIATE")
append("ours", "user", "never said")
print("locked", flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
print("null")`,
      file,
    );
    await holder.line("locked");
    // Waits for the lock without holding up anything else.
    const append = store.appendMessages("ours", [{ role: "user", content: "said" }]);
    expect((await store.listSessions()).map((row) => row.id)).toEqual(["ours"]);
    holder.send("go on");
    await append;
    await holder.result();
    expect((await store.getMessages("ours")).map((row) => row.content)).toEqual(["said"]);
  });
});

const OURS = ["a", "b", "c", "d"];
const PER_SESSION = 30;
const CALLERS = 3;
const PYTHON_EACH = 60;

interface Outcome {
  errors: string[];
}

describe("four of our processes and one of Python's on one file", () => {
  it("lose nothing, see no error and keep every order", async () => {
    const file = path.join(tempDir(), "state.db");
    const { store } = await tempStore(file);
    const sessions = ["one", "two"];
    for (const id of sessions) await store.createSession({ id, source: "cli" });

    const work = { sessions, perSession: PER_SESSION, callers: CALLERS };
    const ours: Process[] = OURS.map((name) => appendProcess(file, { ...work, name }));
    const theirs = python(
      `${CONNECT}
print("ready", flush=True)
sys.stdin.readline()
for i in range(${PYTHON_EACH}):
    for session in ("one", "two"):
        write(lambda: append(session, "user", f"py:{session}:0:{i}"))
print(json.dumps({"errors": []}))`,
      file,
    );
    const all = [...ours, theirs];
    await Promise.all(all.map((process) => process.line("ready")));
    for (const process of all) process.send("go");
    const outcomes = await Promise.all(ours.map((process) => process.result<Outcome>()));
    await theirs.result();

    for (const { errors } of outcomes) expect(errors).toEqual([]);
    for (const session of sessions) {
      const said = (await store.getMessages(session)).map((row) => String(row.content));
      const expected = [
        ...OURS.flatMap((name) => callsOf(name, session, CALLERS, PER_SESSION)),
        ...callsOf("py", session, 1, PYTHON_EACH),
      ];
      expect([...said].sort()).toEqual([...expected].sort());
      expectInOrder(said);
      expect(await store.getSession(session)).toMatchObject({ message_count: expected.length });
    }
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    expect(await ask("print(json.dumps(db.execute('PRAGMA integrity_check').fetchone()[0]))", file)).toBe(
      "ok",
    );
  });

  it("may open and close all the time", async () => {
    const file = path.join(tempDir(), "state.db");
    await (await tempStore(file)).store.createSession({ id: "s", source: "cli" });
    const coming = async (name: number) => {
      for (let i = 0; i < 3; i += 1) {
        const { store } = await tempStore(file);
        const [id] = await store.appendMessages("s", [{ role: "user", content: `${name}-${i}` }]);
        expect((await store.getMessages("s")).some((row) => row.id === id)).toBe(true);
        await store.close();
      }
    };
    await Promise.all([1, 2, 3].map(coming));
    expect(inspect(file, (db) => db.prepare("SELECT count(*) FROM messages").pluck().get())).toBe(9);
  });

  it("continue after one was killed", async () => {
    const file = path.join(tempDir(), "state.db");
    const { store } = await tempStore(file);
    await store.createSession({ id: "s", source: "cli" });
    const doomed = appendProcess(file, { sessions: ["s"], perSession: 100_000, callers: 4, name: "doomed" });
    await doomed.line("ready");
    doomed.send("go");
    while ((await store.reports.stats()).messages < 50)
      await store.appendMessages("s", [{ role: "user", content: "beside" }]);
    await doomed.kill();
    const before = (await store.reports.stats()).messages;
    await store.appendMessages("s", [{ role: "user", content: "after" }]);
    expect((await store.reports.stats()).messages).toBe(before + 1);
    const said = (await store.getMessages("s")).map((row) => String(row.content));
    expectInOrder(said.filter((line) => line.startsWith("doomed")));
    expect(await storeProcess(file, "check").result()).toEqual({ ok: true, problems: [] });
  });
});

function callsOf(name: string, session: string, callers: number, each: number): string[] {
  return Array.from(
    { length: callers * each },
    (_, i) => `${name}:${session}:${i % callers}:${Math.floor(i / callers)}`,
  );
}

/** Each caller's messages count up from zero without a gap. */
function expectInOrder(said: readonly string[]): void {
  const next = new Map<string, number>();
  for (const line of said) {
    const caller = line.slice(0, line.lastIndexOf(":"));
    const expected = next.get(caller) ?? 0;
    expect(Number(line.slice(caller.length + 1)), line).toBe(expected);
    next.set(caller, expected + 1);
  }
}
