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
    notReady: [
      { check: "store", reason: "writes fail" },
      { check: "platforms", reason: "all are down" },
    ],
    mcpServers: [{ name: "files", state: "failing", tools: 0, detail: "it ended" }],
    queues: { ...WELL.queues, inbox: { ...inbox, dead: 2 } },
  });
  expect(problems.map(({ severity, text }) => `${severity}: ${text}`)).toEqual([
    "bad: Not ready, store: writes fail",
    "bad: The model rejects the key: 401",
    "wait: No model is configured: the agent repeats what people write",
    "wait: MCP server files fails: it ended",
    "wait: 2 messages were given up",
  ]);
});
