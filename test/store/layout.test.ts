import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { GATEWAY, ownerOf } from "../../src/store/shared/owner.js";
import { openStore } from "../../src/store/sqlite/index.js";
import { LAYOUT_VERSION } from "../../src/store/sqlite/layout-version.js";
import { tempDir, tempStore } from "../support/temp.js";

/** A `state.db` of version 0.1.0 (layout 1), see test/fixtures/README.md. */

const FIXTURE = path.resolve(import.meta.dirname, "../fixtures/state-0.1.0.db");
const NOTICES = { dead: "I gave up.", interrupted: "I was interrupted." };

function oldFile(): string {
  const file = path.join(tempDir(), "state.db");
  fs.copyFileSync(FIXTURE, file);
  return file;
}

const copiesOf = (file: string) =>
  fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith("state.db.layout1-"));

type Row = Record<string, unknown>;

function rowsOf(file: string, table: string): Row[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare(`SELECT * FROM ${table}`).all() as Row[];
  } finally {
    db.close();
  }
}

function tablesOf(file: string): string[] {
  const db = new Database(file, { readonly: true });
  try {
    return db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'")
      .pluck()
      .all() as string[];
  } finally {
    db.close();
  }
}

async function migrated(): Promise<string> {
  const file = oldFile();
  await (await openStore({ path: file, threads: false, migrate: true })).close();
  return file;
}

/** A row without the columns that the layout added. */
const NEW_COLUMNS = new Set(["owner", "model", "agent", "human_until", "parts", "question"]);

function asBefore(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !NEW_COLUMNS.has(name)));
}

const withTask = (payload: unknown) => {
  const { errand, ...message } = JSON.parse(String(payload)) as Record<string, unknown>;
  return errand === undefined ? message : { ...message, task: errand };
};

describe("the migration from layout 1", () => {
  it("keeps every row of every table", async () => {
    const file = await migrated();
    const renamed: Record<string, string> = {
      gw_notes: "gw_message_changes",
      gw_incomplete_transcripts: "gw_stale_transcripts",
    };
    for (const table of tablesOf(FIXTURE).filter(
      (name) => !/^sqlite_|^state_meta|^gw_notes|^gw_farewells/.test(name),
    )) {
      const before = rowsOf(FIXTURE, table);
      const after = rowsOf(file, renamed[table] ?? table);
      expect(before.length, table).toBeGreaterThan(0);
      if (table === "gw_inbox") {
        const parsed = before.map((row) => ({ ...row, payload: withTask(row.payload) }));
        expect(after.pop()).toMatchObject({ event_id: expect.stringMatching(/^memory:/), state: "waiting" });
        expect(after.map((row) => ({ ...asBefore(row), payload: JSON.parse(String(row.payload)) }))).toEqual(
          parsed,
        );
      } else if (table === "sessions") expect(after).toEqual(before);
      else expect(after.map(asBefore), table).toEqual(before);
    }
    const changes = rowsOf(FIXTURE, "gw_notes").map(({ told, open, ...row }) => ({
      ...row,
      known_text: told,
      pending: open,
    }));
    expect(rowsOf(file, "gw_message_changes")).toEqual(changes);
    expect(rowsOf(file, "state_meta")).toEqual(expect.arrayContaining(rowsOf(FIXTURE, "state_meta")));
    expect(rowsOf(file, "gw_keys")).toHaveLength(rowsOf(FIXTURE, "gw_routes").length);
  });

  it("renames the payload key of tasks", async () => {
    const file = await migrated();
    const payloads = rowsOf(file, "gw_inbox").map(({ payload }) => String(payload));
    expect(payloads.filter((payload) => payload.includes('"errand"'))).toEqual([]);
    expect(payloads.filter((payload) => payload.includes('"task"'))).toHaveLength(4);
    const { store } = await tempStore(file);
    const waiting = (await store.openMessages()).find(({ message }) => message.task?.run);
    expect(waiting?.message).toMatchObject({
      text: "prompt of s2 ✓",
      task: { heading: "# s2", run: { scheduleId: "s2" } },
    });
  });

  it("gives every open row its owner", async () => {
    const { store } = await tempStore(await migrated());
    const waiting = async (owner: string) =>
      (await store.openMessages({ owners: [owner] })).map(({ message }) => message.text);
    expect(await waiting(ownerOf("cli", "t1"))).toEqual(["typed in a terminal"]);
    expect(await waiting(GATEWAY)).toHaveLength(5);
    const claimed = await store.claimDeliveries("boot", 100, [ownerOf("cli", "t1")]);
    expect(claimed.map(({ text }) => text)).toEqual(["for the terminal"]);
  });

  it("keeps a copy of the file as it was", async () => {
    const file = await migrated();
    const [copy, ...others] = copiesOf(file);
    expect(others).toEqual([]);
    const kept = path.join(path.dirname(file), copy!);
    for (const table of tablesOf(FIXTURE)) expect(rowsOf(kept, table)).toEqual(rowsOf(FIXTURE, table));
  });

  it("lets turns and sends continue", async () => {
    const file = await migrated();
    const { store } = await tempStore(file);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    const recovered = await store.recover("boot-2", 3, NOTICES, [GATEWAY]);
    expect(recovered).toMatchObject({
      waiting: 2,
      dead: [],
      interrupted: [{}],
      unsettled: [{ text: "being sent" }],
    });
    const waiting = await store.openMessages({ owners: [GATEWAY] });
    expect(waiting.map(({ message }) => message.text)).toContain("cut off by a crash");
    const crashed = waiting.find(({ message }) => message.text === "cut off by a crash")!;
    const turn = await store.startTurn({
      sessionKey: crashed.sessionKey,
      inboxIds: [crashed.id],
      earlierTurnId: crashed.turnId,
      bootId: "boot-2",
      turnId: "turn-new",
      at: Date.now() / 1000,
    });
    expect(turn).toMatchObject({ attempt: 2, session: { source: "pigeon" } });
    const finished = await store.finishTurn({
      turnId: "turn-new",
      sessionKey: crashed.sessionKey,
      sessionId: turn!.session.id,
      epoch: turn!.epoch,
      inboxIds: [crashed.id],
      messages: [
        { role: "user", content: crashed.message.text },
        { role: "assistant", content: "here again" },
      ],
      usage: {},
      participants: [],
      replies: [{ target: recovered.unsettled[0]!.target, kind: "answer", text: "here again" }],
    });
    expect(finished).toEqual([]);
    const claimed = await store.claimDeliveries("boot-2", 100, [GATEWAY]);
    expect(claimed.length).toBeGreaterThan(5);
    expect((await store.searchMessages("東京")).hits).toHaveLength(1);
  });

  it("passes changes on to the next turn", async () => {
    const { store } = await tempStore(await migrated());
    const key = "agent:main:pigeon:dm:frida";
    const [row] = await store.acceptMessages([
      {
        message: {
          ...(await store.openMessages())[0]!.message,
          eventId: "new",
          origin: { platform: "pigeon", chatType: "dm", chatId: "frida" },
        },
        sessionKey: key,
        receivedAt: Date.now() / 1000,
      },
    ]);
    const turn = await store.startTurn({
      ...{ sessionKey: key, inboxIds: [row!.id], bootId: "b", turnId: "t", at: Date.now() / 1000 },
    });
    expect(turn!.notes).toMatchObject([{ before: "I mean this", text: null }]);
  });

  it.each([true, false])("runs exactly once (threads: %s)", async (threads) => {
    const file = oldFile();
    for (let opened = 0; opened < 3; opened += 1)
      await (await openStore({ path: file, threads, migrate: true })).close();
    expect(copiesOf(file)).toHaveLength(1);
    expect(rowsOf(file, "gw_keys").length).toBeGreaterThan(0);
  });

  it("leaves the old layout when it is killed at any step, and the next start migrates", async () => {
    const script = `
      import { openStore } from ${JSON.stringify(new URL("../../dist/store/sqlite/index.js", import.meta.url).href)};
      const [, file, killAt] = process.argv;
      let steps = 0;
      const onProgress = () => { if (++steps === Number(killAt)) process.kill(process.pid, "SIGKILL"); };
      const store = await openStore({ path: file, threads: false, migrate: true, onProgress });
      await store.close();
      process.stdout.write(String(steps));`;
    const run = async (file: string, killAt: number) => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, file, String(killAt)]);
      const output: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
      await once(child, "close");
      return { killed: child.signalCode === "SIGKILL", steps: Number(Buffer.concat(output).toString()) };
    };
    const { steps } = await run(oldFile(), 0);
    expect(steps).toBeGreaterThan(4);
    for (let killAt = 1; killAt <= steps; killAt += 1) {
      const file = oldFile();
      expect((await run(file, killAt)).killed).toBe(true);
      expect(tablesOf(file).toSorted()).toEqual(tablesOf(FIXTURE).toSorted());
      expect(rowsOf(file, "gw_inbox")).toEqual(rowsOf(FIXTURE, "gw_inbox"));
      const { store } = await tempStore(file, undefined, { migrate: true });
      expect(await store.openMessages()).toHaveLength(6);
      await store.close();
      expect(fs.readdirSync(path.dirname(file)).filter((name) => name.includes("partial"))).toEqual([]);
    }
  });
});

describe("a file of layout 1", () => {
  it.each([true, false])(
    "is refused by a process without the gateway lock (threads: %s)",
    async (threads) => {
      const file = oldFile();
      const bytes = fs.readFileSync(file);
      for (const foreign of ["refuse", "read"] as const)
        await expect(openStore({ path: file, threads, foreign })).rejects.toMatchObject({
          code: "conflict",
          message: `${file} was last used by an earlier version of this program (layout 1; this one needs ${LAYOUT_VERSION}).`,
          hint: expect.stringContaining("start this one's gateway"),
        });
      expect(fs.readFileSync(file).equals(bytes)).toBe(true);
      expect(copiesOf(file)).toEqual([]);
    },
  );
});

describe("a file of a later layout", () => {
  it("is rejected even by a process that may migrate", async () => {
    const { store, file } = await tempStore();
    await store.close();
    const db = new Database(file);
    db.prepare("UPDATE state_meta SET value = '99' WHERE key = 'gw_layout'").run();
    db.close();
    await expect(openStore({ path: file, threads: false, migrate: true })).rejects.toThrow(
      "was written by a later version of this program (layout 99",
    );
  });
});

describe("a new file", () => {
  it("has the layout's number, and no table called exactly gw_inbox: version 0.1.0 leaves it alone", async () => {
    const { store, file } = await tempStore();
    await store.close();
    expect(rowsOf(file, "state_meta")).toContainEqual({ key: "gw_layout", value: String(LAYOUT_VERSION) });
    expect(tablesOf(file)).not.toContain("gw_inbox");
  });
});
