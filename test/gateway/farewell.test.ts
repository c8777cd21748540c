import { expect, it } from "vitest";
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
