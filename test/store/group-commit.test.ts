import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { GroupCommit, type Job } from "../../src/store/sqlite/group-commit.js";
import { atEnd } from "../support/at-end.js";
import { until } from "../support/until.js";

function commits() {
  const db = new Database(":memory:");
  atEnd(() => db.close());
  db.exec("CREATE TABLE done (name TEXT)");
  const group = new GroupCommit(db, () => undefined);
  const resolved: string[] = [];
  const job = (name: string, late = false): Job => ({
    work: () => void db.prepare("INSERT INTO done VALUES (?)").run(name),
    late,
    resolve: () => void resolved.push(name),
    reject: (error) => {
      throw error;
    },
  });
  return { group, job, resolved, count: () => group.stats().commitSeconds.count };
}

describe("work that isn't urgent", () => {
  it("shares the commit of the next work, in order", () => {
    const { group, job, resolved, count } = commits();
    group.add(job("outcome", true));
    group.add(job("another outcome", true));
    expect([resolved, count()]).toEqual([[], 0]);
    group.add(job("message"));
    expect([resolved, count()]).toEqual([["outcome", "another outcome", "message"], 1]);
  });

  it("is committed by itself if nothing follows", async () => {
    const { group, job, resolved, count } = commits();
    group.add(job("outcome", true));
    await until("it is committed", () => resolved.length === 1);
    group.add(job("message"));
    expect([resolved, count()]).toEqual([["outcome", "message"], 2]);
  });

  it("is committed before the end", async () => {
    const { group, job, resolved } = commits();
    group.add(job("outcome", true));
    await group.end();
    expect(resolved).toEqual(["outcome"]);
  });
});
