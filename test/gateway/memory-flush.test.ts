import { describe, expect, it } from "vitest";
import type { AgentBackend, AgentEvent, TurnRequest } from "../../src/agents/backend.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const INSTRUCTION = /about to be closed/;

/** Answers immediately; in the memory flush it saves the text, slowly. */
class Rememberer implements AgentBackend {
  readonly name = "rememberer";
  readonly model = "test";
  readonly contextLength = 100_000;
  readonly flushes: TurnRequest[] = [];
  release = () => {};

  async *run(request: TurnRequest): AsyncIterable<AgentEvent> {
    const asked = String(request.input.at(-1)?.content);
    if (INSTRUCTION.test(asked)) {
      this.flushes.push(request);
      await new Promise<void>((resolve) => {
        this.release = resolve;
      });
      const memory = request.tools.find((tool) => tool.name === "memory");
      await memory!.run({ action: "add", content: "likes marmots" }, AbortSignal.timeout(5000), "call");
    }
    yield { type: "text", delta: `re ${asked}` };
    yield { type: "message", message: { role: "assistant", content: `re ${asked}` } };
    yield { type: "done" };
  }
}

it("the agent can save memories before a reset, and the new message doesn't wait for it", async () => {
  const agent = new Rememberer();
  const gateway = await TestGateway.start({
    agent,
    config: { session_reset: { mode: "idle", idle_minutes: 10, notify: false } },
  });
  await gateway.ask(ann, "I like marmots");
  const first = await gateway.session(ann);
  await gateway.silentFor(ann, 11 * 60);
  await gateway.say(ann, "hello again");
  await until("it is answered", () => gateway.adapter.to(ann).length === 2);
  expect(gateway.adapter.to(ann).at(-1)?.text).toBe("re hello again");
  await until("the old session's memories are flushed", () => agent.flushes.length === 1);
  const [flush] = agent.flushes;
  expect(flush?.session.id).toBe(first.id);
  expect(JSON.stringify(flush?.history)).toContain("I like marmots");
  expect(flush?.tools.map((tool) => tool.name)).toEqual(["memory"]);
  agent.release();
  const person = { platform: "test", userId: "ann" };
  await until("it is remembered", async () => (await gateway.memory.read(person)).includes("likes marmots"));
  expect(await gateway.store.getMessages(first.id)).toHaveLength(2);
});

describe("a failed memory flush", () => {
  const config = { session_reset: { mode: "idle", idle_minutes: 10, notify: false } };
  const open = (gateway: TestGateway) =>
    gateway.read<{ state: string; attempts: number }>(
      "SELECT state, attempts FROM gw_inbox WHERE event_id LIKE 'memory:%' AND state IN ('waiting', 'running')",
    );

  /** Its memory flushes hang or fail; other turns do nothing. */
  class Unable implements AgentBackend {
    readonly name = "unable";
    readonly model = "test";
    readonly contextLength = 100_000;
    readonly #fails: boolean;
    flushes = 0;

    constructor({ fails }: { fails: boolean }) {
      this.#fails = fails;
    }

    async *run(request: TurnRequest, signal: AbortSignal): AsyncIterable<AgentEvent> {
      const isLast = INSTRUCTION.test(String(request.input.at(-1)?.content));
      if (isLast) this.flushes += 1;
      if (isLast && !this.#fails)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      const failure = { kind: "network", message: "cut off", notice: "Cut off." } as const;
      if (isLast) yield { type: "failed", failure };
      else yield { type: "message", message: { role: "assistant", content: "ok" } };
    }
  }

  async function withOneOpen(agent: Unable): Promise<TestGateway> {
    const gateway = await TestGateway.start({ agent, config });
    await gateway.ask(ann, "I like marmots");
    await gateway.silentFor(ann, 11 * 60);
    await gateway.say(ann, "hello again");
    await until("the old session's memories are flushed", () => agent.flushes === 1);
    return gateway;
  }

  it("interrupted by a stop runs after the next start", async () => {
    const gateway = await withOneOpen(new Unable({ fails: false }));
    const agent = new Rememberer();
    const restarted = await gateway.restart({ agent, config });
    await until("the flush starts again", () => agent.flushes.length === 1);
    expect(agent.flushes[0]?.principal).toEqual({ platform: "test", userId: "ann" });
    expect(JSON.stringify(agent.flushes[0]?.history)).toContain("I like marmots");
    agent.release();
    await until("it is done", () => open(restarted).length === 0);
    expect(await restarted.memory.read({ platform: "test", userId: "ann" })).toEqual(["likes marmots"]);
  });

  it("is queued for a session that the sweep ended, too, and skipped if the session is deleted", async () => {
    const agent = new Unable({ fails: false });
    const gateway = await TestGateway.start({ agent, config });
    await gateway.ask(ann, "I like marmots");
    const { id } = await gateway.session(ann);
    await gateway.silentFor(ann, 11 * 60);
    await gateway.sweep();
    expect(open(gateway)).toEqual([{ state: "waiting", attempts: 0 }]);
    await gateway.store.deleteSessions([id]);
    const restarted = await gateway.restart({ agent, config });
    await until("it is done", () => open(restarted).length === 0);
    expect(agent.flushes).toBe(0);
  });

  it("is dead after three attempts", async () => {
    const gateway = await withOneOpen(new Unable({ fails: true }));
    const state = () => gateway.inbox(`memory:${first(gateway)}`);
    for (const attempts of [1, 2]) {
      await until("it failed", () => state()?.attempts === attempts && state()?.state === "waiting");
      gateway.change("UPDATE gw_inbox SET not_before = 0, wait_set_at = NULL WHERE state = 'waiting'");
      await gateway.gateway.retryDead();
    }
    await until("it was given up", () => state()?.state === "dead");
    const warnings = gateway.warnings.filter(({ message }) => message === "memories were not saved");
    expect(warnings.at(-1)).toMatchObject({ fields: { attempt: 3, reason: "cut off" } });
  });
});

/** The session that ended. */
const first = (gateway: TestGateway) =>
  gateway.read<{ id: string }>("SELECT id FROM sessions ORDER BY started_at LIMIT 1")[0]?.id;
