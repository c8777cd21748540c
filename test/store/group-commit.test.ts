import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { GroupCommit, type Job } from "../../src/store/sqlite/group-commit.js";
import { atEnd } from "../support/at-end.js";
import { until } from "../support/until.js";

const NEVER_MS = 2 ** 31 - 1;

function commits() {
  const db = new Database(":memory:");
  atEnd(() => db.close());
  db.exec("CREATE TABLE done (name TEXT)");
  const group = new GroupCommit(db, () => undefined);
  const resolved: string[] = [];
  const early: string[] = [];
  const job = (name: string, waitMs?: number): Job => ({
    work: () => void db.prepare("INSERT INTO done VALUES (?)").run(name),
    waitMs,
    resolve: () => void resolved.push(name),
    reject: (error) => {
      throw error;
    },
  });
  const earlyJob = (name: string): Job => ({ ...job(name), early: () => void early.push(name) });
  return { db, group, job, earlyJob, resolved, early, count: () => group.stats().commitSeconds.count };
}

describe("work that isn't urgent", () => {
  it("shares the commit of the next work, in order", () => {
    const { group, job, resolved, count } = commits();
    group.add(job("outcome", 1));
    group.add(job("another outcome", 1));
    expect([resolved, count()]).toEqual([[], 0]);
    group.add(job("message"));
    expect([resolved, count()]).toEqual([["outcome", "another outcome", "message"], 1]);
  });

  it("is committed by itself if nothing follows", async () => {
    const { group, job, resolved, count } = commits();
    group.add(job("outcome", 1));
    await until("it is committed", () => resolved.length === 1);
    group.add(job("message"));
    expect([resolved, count()]).toEqual([["outcome", "message"], 2]);
  });

  it("is committed with other late work that is due earlier", async () => {
    const { group, job, resolved, count } = commits();
    group.add(job("record", NEVER_MS));
    group.add(job("outcome", 1));
    await until("both are committed", () => resolved.length === 2);
    expect([resolved, count()]).toEqual([["record", "outcome"], 1]);
  });

  it("is committed before the end, without its wait", async () => {
    const { group, job, resolved } = commits();
    group.add(job("record", NEVER_MS));
    await group.end();
    group.add(job("another record", NEVER_MS));
    expect(resolved).toEqual(["record", "another record"]);
  });
});

describe("a job with an early result", () => {
  it("reports it before the commit, which it shares with the job that follows", () => {
    const { group, job, earlyJob, early, resolved, count } = commits();
    group.add(earlyJob("message"));
    expect([early, resolved, count()]).toEqual([["message"], [], 0]);
    group.add(job("answer"));
    expect([resolved, count()]).toEqual([["message", "answer"], 1]);
  });

  it("waits until every early result has had its follow-up", () => {
    const { group, job, earlyJob, resolved, count } = commits();
    group.add(earlyJob("message 1"), earlyJob("message 2"));
    group.add(job("answer 1"));
    expect([resolved, count()]).toEqual([[], 0]);
    group.add(job("answer 2"));
    expect([resolved, count()]).toEqual([["message 1", "message 2", "answer 1", "answer 2"], 1]);
  });

  it("is committed on its own if nothing follows", async () => {
    const { db, group, earlyJob, resolved, count } = commits();
    group.add(earlyJob("message"));
    await until("it is committed", () => resolved.length === 1);
    expect([db.inTransaction, count()]).toEqual([false, 1]);
  });

  it("is committed before a job that needs no transaction, and before the end", async () => {
    const { db, group, job, earlyJob, resolved } = commits();
    group.add(earlyJob("message"));
    group.add({ ...job("vacuum"), work: () => void db.exec("VACUUM"), alone: true });
    expect(resolved).toEqual(["message", "vacuum"]);
    group.add(earlyJob("another"));
    await group.end();
    expect(resolved).toEqual(["message", "vacuum", "another"]);
  });

  it("rejects together with what followed from it if the commit fails", () => {
    const { db, group, earlyJob, job, early } = commits();
    db.exec(
      "PRAGMA foreign_keys = ON; CREATE TABLE parent (id INTEGER PRIMARY KEY);" +
        "CREATE TABLE child (parent REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)",
    );
    const rejected: string[] = [];
    const failing = (name: string, from: Job): Job => ({ ...from, reject: () => void rejected.push(name) });
    group.add(
      failing("message", {
        ...earlyJob("message"),
        work: () => void db.exec("INSERT INTO child VALUES (1)"),
      }),
    );
    group.add(failing("answer", job("answer")));
    expect([early, rejected]).toEqual([["message"], ["message", "answer"]]);
    expect([db.inTransaction, db.prepare("SELECT count(*) FROM done").pluck().get()]).toEqual([false, 0]);
    group.add(job("later"));
    expect(db.prepare("SELECT name FROM done").pluck().all()).toEqual(["later"]);
  });
});
