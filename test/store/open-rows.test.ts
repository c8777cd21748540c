import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { verbs } from "../../src/store/sqlite/verbs.js";
import { tempStore } from "../support/temp.js";

/** Settled rows are kept for a month: what looks for open ones must not read them all, every second. */

const NOTICES = { dead: "", interrupted: "" };
const LOOKS: Record<string, (db: Database.Database) => unknown> = {
  openMessages: (db) => verbs.openMessages(db),
  runningMessages: (db) => verbs.openMessages(db, { runningUnder: "boot" }),
  deadPage: (db) => verbs.deadPage(db, {}),
  backlog: (db) => verbs.backlog(db),
  queueDepths: (db) => verbs.queueDepths(db),
  claimDeliveries: (db) => verbs.claimDeliveries(db, "boot", 10),
  failTurn: (db) =>
    verbs.failTurn(db, {
      turnId: "t",
      sessionKey: "k",
      inboxIds: [],
      error: "",
      next: { state: "dead" },
      replies: [],
    }),
  recover: (db) => verbs.recover(db, "boot", 3, NOTICES),
};

describe("open rows of the queues", () => {
  it.each(Object.keys(LOOKS))("are found by an index (%s)", async (name) => {
    const { store, file } = await tempStore();
    await store.close();
    const ran: string[] = [];
    const db = new Database(file, { verbose: (sql) => ran.push(String(sql)) });
    onTestFinished(() => void db.close());
    LOOKS[name]!(db);
    const plans = ran.flatMap((sql) => planOf(db, sql));
    expect(plans.length).toBeGreaterThan(0);
    const whole = plans.filter(
      (step) =>
        /^SCAN (?!messages|sqlite_sequence|gw_pairing|gw_penalties)/.test(step) && !step.includes("USING"),
    );
    expect(whole).toEqual([]);
  });
});

function planOf(db: Database.Database, sql: string): string[] {
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  return rows.map(({ detail }) => detail);
}
