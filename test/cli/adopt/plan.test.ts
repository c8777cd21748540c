import { describe, expect, it } from "vitest";
import type { HomeLook } from "../../../src/cli/adopt/look.js";
import { planOf } from "../../../src/cli/adopt/plan.js";
import { configSchema } from "../../../src/config/schema.js";
import type { Survey } from "../../../src/store/sqlite/survey.js";

const MB = 1024 * 1024;

const SURVEY: Survey = {
  ...{ kind: "older", version: 8, wanted: 11, layout: "none", journalMode: "wal", complete: false },
  ...{ bytes: 500 * MB, sessions: 3, messages: 40, routes: 0, absent: [], strangers: [], problems: [] },
};

function look(changes: Partial<HomeLook> = {}): HomeLook {
  return {
    home: "/h",
    settings: { checks: [], config: configSchema.parse({}) },
    index: "missing",
    pairing: { people: [], problems: [] },
    transcripts: [],
    database: SURVEY,
    users: [],
    lock: { running: false },
    exposed: [],
    freeBytes: 2000 * MB,
    ...changes,
  };
}

const failures = (seen: HomeLook) =>
  planOf(seen).checks.flatMap(({ check, state, message }) =>
    state === "fail" ? [`${check}: ${message}`] : [],
  );

describe("a plan", () => {
  it("is ready if nothing blocks it", () => {
    expect(planOf(look())).toMatchObject({ verdict: "ready", changes: [{}, {}] });
  });

  it("requires space for the copy and the migration, if there is one", () => {
    const few = { freeBytes: 900 * MB };
    expect(failures(look(few))).toEqual(["disk: 900.0 MB free, 1.1 GB needed"]);
    expect(failures(look({ ...few, database: { ...SURVEY, kind: "current", version: 11 } }))).toEqual([]);
  });

  it("stops at damaged pages, not at a full-text index that is rebuilt", () => {
    const damaged = (problems: string[], more: Partial<Survey> = {}) =>
      look({ database: { ...SURVEY, ...more, problems } });
    expect(failures(damaged(["Tree 4 page 9: btreeInitPage() returns error code 11"]))).toHaveLength(1);
    const index = ["malformed inverted index for FTS5 table main.messages_fts"];
    expect(failures(damaged(index))).toEqual([]);
    const current = planOf(damaged(index, { kind: "current", version: 11 }));
    expect(current.checks.find(({ state }) => state === "warn")?.fix).toContain("hermes sessions repair");
  });

  it("waits for gateways to stop: ours and Hermes Agent's", () => {
    expect(failures(look({ lock: { running: true } }))).toEqual(["gateway: a gateway is running here"]);
    expect(failures(look({ lock: { running: false, agentPid: 77 } }))[0]).toContain("pid 77");
  });

  it("names ten of many, and how many more", () => {
    const exposed = Array.from({ length: 25 }, (_, i) => `/h/sessions/${i}.jsonl`);
    const { message } = planOf(look({ exposed })).changes.at(-1)!;
    expect(message.split("\n")).toHaveLength(12);
    expect(message).toMatch(/^25 paths[\s\S]*… and 15 more$/);
  });
});
