import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { defineInTime, inTime, monotonicMs, withDeadline } from "../../src/store/sqlite/deadline.js";
import { makeEndless } from "../support/endless-read.js";
import { readRows } from "../support/old-schemas.js";
import { Process } from "../support/processes.js";
import { tempStore } from "../support/temp.js";

type Call = [verb: string, ...args: unknown[]];

const SHORT_ENDLESS: Call = ["getValue", { platform: "web", account: "web", name: "x" }];
const LONG_ENDLESS: Call = ["pairingPage", { since: 0 }];
const SHORT: Call = ["getValue", "colour"];

/** A process that makes these calls on a file with endless tables. */
async function callStuck(steps: readonly Call[][]): Promise<{ child: Process; file: string }> {
  const { store, file } = await tempStore();
  await store.createSession({ id: "s", source: "cli" });
  await store.setValue("colour", "green");
  await store.close();
  const script = fileURLToPath(new URL("../support/stuck-reads.mjs", import.meta.url));
  const child = new Process(process.execPath, [script, file, JSON.stringify(steps)]);
  await child.line('"opened"');
  makeEndless(file, "gw_cursors");
  makeEndless(file, "gw_pairing");
  child.send("go");
  return { child, file };
}

describe("a read that never ends", () => {
  it("fails at its deadline, and delays neither other reads, nor writes, nor the end of the process", async () => {
    const { child, file } = await callStuck([
      [LONG_ENDLESS, SHORT, SHORT_ENDLESS],
      [SHORT, SHORT_ENDLESS],
      [SHORT],
    ]);
    // Nothing but a signal ends a process with a thread inside of a statement.
    expect(await child.end()).toBe("SIGTERM");
    const late = (verb: string) => ({
      ...{ verb, code: "unavailable" },
      message: `The database didn't answer in time (${verb}).`,
    });
    expect(child.lines.slice(1).map((line) => JSON.parse(line))).toEqual([
      // A long read has a thread of its own.
      { verb: "getValue", value: "green" },
      late("pairingPage"),
      late("getValue"),
      // The stuck thread was replaced, as often as that is reasonable.
      { verb: "getValue", value: "green" },
      late("getValue"),
      { verb: "getValue", code: "unavailable", message: expect.stringContaining("stuck") },
      "closed",
    ]);
    expect(readRows(file, "messages").map(({ content }) => content)).toEqual(["kept"]);
  });
});

describe("the thread for long reads", () => {
  it("restarts after it was idle and ends with the store", async () => {
    const { store } = await tempStore(undefined, undefined, { threads: true, limits: { idleMs: 0 } });
    await store.createSession({ id: "s", source: "web" });
    for (let i = 0; i < 5; i += 1) {
      expect((await store.reports.browseSessions({})).sources).toEqual(["web"]);
      expect(await store.listSessions()).toHaveLength(1);
      // Its time is over with the next turn of the loop.
      await new Promise((resolve) => setTimeout(resolve));
    }
    await store.close();
    await expect(store.reports.browseSessions({})).rejects.toThrow(/closed/);
    await expect(store.getSession("s")).rejects.toThrow(/closed/);
  });
});

describe("a statement that scans many rows", () => {
  it("stops at the deadline", () => {
    const db = new Database(":memory:");
    defineInTime(db);
    const endless = db.prepare(
      `WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)
       SELECT count(*) FROM endless WHERE ${inTime("n")}`,
    );
    expect(() => withDeadline("scan", monotonicMs() + 20, () => endless.get())).toThrow(
      "The database didn't answer in time (scan).",
    );
  });

  it("runs to its end without a deadline", () => {
    const db = new Database(":memory:");
    defineInTime(db);
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)");
    for (let i = 0; i < 1000; i += 1) db.prepare("INSERT INTO t DEFAULT VALUES").run();
    const scan = db.prepare(`SELECT count(*) FROM t WHERE ${inTime("id")}`).pluck();
    expect(withDeadline("scan", undefined, () => scan.get())).toBe(1000);
  });
});
