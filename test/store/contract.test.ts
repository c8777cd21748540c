import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { verbs } from "../../src/store/sqlite/verbs.js";
import { tempStore } from "../support/temp.js";

/** What an engine must implement. Another engine pays for every verb: add one only if no other can take it over. */
const MAX_VERBS = 80;

const STORE = path.resolve(import.meta.dirname, "../../src/store");
const FAMILIES: Record<string, string> = {
  ...{ History: "history", People: "people", Schedules: "schedules", Reports: "reports" },
  ...{ Inbox: "queues/inbox", Routes: "queues/routes", Turns: "queues/turns", Outbox: "queues/outbox" },
  ...{ Previews: "queues/previews", Values: "queues/values", Pairing: "queues/pairing" },
  ...{ Attempts: "queues/attempts", Steps: "queues/steps", Questions: "queues/questions" },
  ...{ Conversations: "queues/conversations", Records: "queues/records" },
};

function verbsOf(family: string, file = FAMILIES[family]!): string[] {
  const text = fs.readFileSync(path.join(STORE, `${file}.ts`), "utf8");
  const body = new RegExp(`^export interface ${family} \\{\n([^]*?)^\\}`, "m").exec(text)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name!);
}

const contract = Object.keys(FAMILIES).flatMap((family) => verbsOf(family));

describe("the contract of the store", () => {
  it("knows every family", () => {
    const parents = ["store.ts", "queues.ts"].flatMap((file) => {
      const text = fs.readFileSync(path.join(STORE, file), "utf8");
      return /^export interface \w+\s+extends ([^{]+)/m
        .exec(text)![1]!
        .split(",")
        .map((name) => name.trim());
    });
    expect([...parents, "Reports"].filter((name) => name !== "Queues").toSorted()).toEqual(
      Object.keys(FAMILIES).toSorted(),
    );
    for (const family of Object.keys(FAMILIES)) expect(verbsOf(family), family).not.toEqual([]);
  });

  it(`has at most ${MAX_VERBS} verbs`, () => {
    expect(contract.length).toBeLessThanOrEqual(MAX_VERBS);
    expect(new Set(contract).size).toBe(contract.length);
  });

  it("is what the engine offers", async () => {
    const { store } = await tempStore();
    const offered = { ...store.reports, ...store };
    expect(contract.filter((verb) => !(verb in offered))).toEqual([]);
    expect(verbsOf("Maintenance", "maintenance").toSorted()).toEqual(
      Object.keys(store.maintenance).toSorted(),
    );
  });

  it("has a caller for each verb", () => {
    const src = path.resolve(STORE, "..");
    const callers = (fs.readdirSync(src, { recursive: true }) as string[])
      .filter((file) => file.endsWith(".ts") && !file.startsWith("store"))
      .map((file) => fs.readFileSync(path.join(src, file), "utf8"))
      .join("\n");
    expect(contract.filter((verb) => !callers.includes(`.${verb}`))).toEqual([]);
  });

  it("mentions neither files nor engine details", () => {
    const files = [
      "common.ts",
      "store.ts",
      "queues.ts",
      ...Object.values(FAMILIES).map((file) => `${file}.ts`),
    ];
    const leaks = files.filter((file) =>
      /sqlite|\bfts|\bwal\b|\bvacuum|trigram|rowid|database file/i.test(
        fs.readFileSync(path.join(STORE, file), "utf8"),
      ),
    );
    expect(leaks).toEqual([]);
  });

  it("has no verb of the engine that reads and isn't part of it", () => {
    const parts = ["countPrunable", "countExport", "exportPage", "findTitles"];
    const forTests = ["nextTitle"];
    const maintenance = ["check", "databaseBytes", "layout", "scrubDue", "copyDatabase", "copyPages"];
    const reads = Object.entries(verbs).flatMap(([name, { mode }]) =>
      mode === "write" || mode === "exclusive" || mode === "apart" ? [] : [name],
    );
    const known = new Set([...contract, ...parts, ...forTests, ...maintenance]);
    expect(reads.filter((name) => !known.has(name))).toEqual([]);
  });
});
