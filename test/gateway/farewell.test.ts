import { describe, expect, it } from "vitest";
import type { AgentBackend, AgentEvent, TurnRequest } from "../../src/agents/backend.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const FAREWELL = /about to be closed/;

/** Answers at once; in the last turn of a session it saves what it heard, and takes its time about it. */
class Rememberer implements AgentBackend {
  readonly name = "rememberer";
  readonly model = "test";
  readonly contextLength = 100_000;
  readonly farewells: TurnRequest[] = [];
  release = () => {};

  async *run(request: TurnRequest): AsyncIterable<AgentEvent> {
    const asked = String(request.input.at(-1)?.content);
    if (FAREWELL.test(asked)) {
      this.farewells.push(request);
      await new Promise<void>((resolve) => {
        this.release = resolve;
      });
      const memory = request.tools.find((tool) => tool.name === "memory");
      await memory!.run({ action: "add", content: "likes marmots" }, AbortSignal.timeout(5000));
    }
    yield { type: "text", delta: `re ${asked}` };
    yield { type: "message", message: { role: "assistant", content: `re ${asked}` } };
    yield { type: "done" };
  }
}

it("before a session is reset its agent may save what matters, and the new message doesn't wait for it", async () => {
  const agent = new Rememberer();
  const gateway = await TestGateway.start({
    agent,
    config: { session_reset: { mode: "idle", idle_minutes: 10, notify: false } },
  });
  await gateway.ask(ann, "I like marmots");
  const first = await gateway.session(ann);
  await gateway.silentFor(ann, 11 * 60);
  expect(await gateway.ask(ann, "hello again")).toEqual(["re hello again"]);
  await until("the old session takes its leave", () => agent.farewells.length === 1);
  const [farewell] = agent.farewells;
  expect(farewell?.session.id).toBe(first.id);
  expect(JSON.stringify(farewell?.history)).toContain("I like marmots");
  expect(farewell?.tools.map((tool) => tool.name)).toEqual(["memory"]);
  agent.release();
  const person = { platform: "test", userId: "ann" };
  await until("it is remembered", async () => (await gateway.memory.read(person)).includes("likes marmots"));
  expect(await gateway.store.getMessages(first.id)).toHaveLength(2);
});

describe("a last turn that comes to nothing", () => {
  const config = { session_reset: { mode: "idle", idle_minutes: 10, notify: false } };
  const open = (gateway: TestGateway) =>
    gateway.read<{ user_id: string; attempts: number }>("SELECT user_id, attempts FROM gw_farewells");

  /** Its last turns never end, or fail; all others do nothing. */
  class Unable implements AgentBackend {
    readonly name = "unable";
    readonly model = "test";
    readonly contextLength = 100_000;
    readonly #fails: boolean;
    farewells = 0;

    constructor({ fails }: { fails: boolean }) {
      this.#fails = fails;
    }

    async *run(request: TurnRequest, signal: AbortSignal): AsyncIterable<AgentEvent> {
      const isLast = FAREWELL.test(String(request.input.at(-1)?.content));
      if (isLast) this.farewells += 1;
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
    await gateway.ask(ann, "hello again");
    await until("the old session takes its leave", () => agent.farewells === 1);
    return gateway;
  }

  it("because of a stop is had after the next start", async () => {
    const gateway = await withOneOpen(new Unable({ fails: false }));
    const agent = new Rememberer();
    const restarted = await gateway.restart({ agent, config });
    await until("the old session takes its leave again", () => agent.farewells.length === 1);
    expect(agent.farewells[0]?.principal).toEqual({ platform: "test", userId: "ann" });
    expect(JSON.stringify(agent.farewells[0]?.history)).toContain("I like marmots");
    agent.release();
    await until("it was had", () => open(restarted).length === 0);
    expect(await restarted.memory.read({ platform: "test", userId: "ann" })).toEqual(["likes marmots"]);
  });

  it("is noted for a session that ended while nobody wrote, too, and goes with the session", async () => {
    const gateway = await TestGateway.start({ config });
    await gateway.ask(ann, "I like marmots");
    const { id } = await gateway.session(ann);
    await gateway.silentFor(ann, 11 * 60);
    await gateway.sweep();
    expect(open(gateway)).toEqual([{ user_id: "ann", attempts: 0 }]);
    await gateway.store.deleteSession(id);
    expect(open(gateway)).toEqual([]);
  });

  it("is given up after three attempts", async () => {
    let gateway = await withOneOpen(new Unable({ fails: true }));
    for (const attempts of [1, 2]) {
      await until("it failed", () => open(gateway)[0]?.attempts === attempts);
      gateway = await gateway.restart({ agent: new Unable({ fails: true }), config });
    }
    await until("it was given up", () => open(gateway).length === 0);
    const warnings = gateway.warnings.filter(({ message }) => message === "memories were not saved");
    expect(warnings).toMatchObject([{ fields: { attempt: 3, reason: "cut off" } }]);
  });
});
