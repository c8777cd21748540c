import { expect, it } from "vitest";
import { type ProblemFacts, problemsOf } from "../../src/http/dashboard/problems.js";

const WELL: ProblemFacts = {
  notReady: [],
  platforms: [],
  mcpServers: [{ name: "files", state: "ready", tools: 3 }],
  queues: {
    inbox: { waiting: 1, running: 1, dead: 0 },
    outbox: { pending: 1, sending: 0, unknown: 0, dead: 0 },
    oldestWaiting: null,
    oldestPending: null,
  },
  isEcho: false,
  keyFault: undefined,
  freeBytes: 50e9,
  databaseBytes: 1e9,
  approvals: [600],
};

it("a gateway without problems is well", () => {
  expect(problemsOf(WELL)).toEqual([]);
});

it("every problem is listed, the worst first", () => {
  const { inbox } = WELL.queues;
  const problems = problemsOf({
    ...WELL,
    isEcho: true,
    keyFault: "401",
    approvals: [600, 30],
    freeBytes: 20e6,
    platforms: [{ platform: "slack", account: "", state: "down", lastProofAt: null, detail: "no network" }],
    notReady: [
      { check: "store", reason: "writes fail" },
      { check: "inbox", reason: "a message waits since 60 s" },
      { check: "platforms", reason: "all are down" },
    ],
    mcpServers: [{ name: "files", state: "failing", tools: 0, detail: "it ended" }],
    queues: { ...WELL.queues, inbox: { ...inbox, dead: 2 } },
  });
  expect(problems.map(({ severity, text, path }) => `${severity}: ${text} → ${path}`)).toEqual([
    "bad: Not ready, store: writes fail → /log",
    "bad: Not ready, inbox: a message waits since 60 s → /messages?state=waiting",
    "bad: 20 MB free on the disk: writes fail soon → /backups",
    "bad: slack is down: no network → /platforms",
    "bad: The model rejects the key: 401 → /config",
    "wait: No model is configured: the agent repeats what people write → /config",
    "wait: MCP server files fails: it ended → /mcp",
    "wait: 1 approval expires soon → /questions",
    "wait: 2 messages were given up → /dead",
  ]);
});

it("a disk without room for a copy of the database is a problem", () => {
  const [problem] = problemsOf({ ...WELL, freeBytes: 1.2e9 });
  expect(problem).toMatchObject({ severity: "wait", path: "/backups" });
  expect(problem!.text).toBe("1200 MB free on the disk: too little for a copy of the database");
  expect(problemsOf({ ...WELL, freeBytes: undefined })).toEqual([]);
});
