import { describe, expect, it } from "vitest";
import type { AgentBackend, AgentEvent } from "../../src/agents/backend.js";
import { MAX_ANSWER_CHARS } from "../../src/text-limits.js";
import { agentOn, ending, runTurn, startServer, turn } from "../agents/support.js";
import { says } from "../emulators/model-server.js";
import { TestGateway } from "../support/gateway.js";

const NOTE = /… \[truncated: the answer was longer than 500000 characters\]$/;
const ANN = { userId: "ann", chatType: "dm" as const, chatId: "ann" };

describe("a model that never stops", () => {
  it("is stopped at the limit, and its text so far is the answer", async () => {
    const server = await startServer();
    server.script({ ...says("on and on ".repeat(500)), endless: true });
    const gateway = await TestGateway.start({ agent: agentOn(server) });
    const [answer = ""] = await gateway.ask(ANN, "go");
    await server.left(1);
    expect(answer).toMatch(NOTE);
    expect(answer).toHaveLength(MAX_ANSWER_CHARS);
    const rows = gateway.read<{ content: string; finish_reason: string }>(
      "SELECT content, finish_reason FROM messages WHERE role = 'assistant'",
    );
    expect(rows).toEqual([{ content: answer, finish_reason: "length" }]);
  });

  it("is stopped even if it only reasons", async () => {
    const server = await startServer();
    server.script({ reasoning: ["hm ".repeat(1000)], endless: true });
    const events = await runTurn(agentOn(server), turn("go"));
    await server.left(1);
    expect(ending(events)).toBe("other");
  });
});

describe("any other agent that never stops", () => {
  it("is stopped at the limit, and its preview updates slow down as the answer grows", async () => {
    const endless = new Endless("word ".repeat(5));
    const gateway = await TestGateway.start({ agent: endless });
    const [answer = ""] = await gateway.ask(ANN, "go");
    expect(answer).toMatch(NOTE);
    expect(endless.isEnded).toBe(true);
    // Each preview processes the whole text.
    expect(endless.pieces).toBeGreaterThan(19_000);
    expect(gateway.adapter.previews.length).toBeLessThan(1000);
  });
});

/** Repeats the same text as fast as it is read. */
class Endless implements AgentBackend {
  readonly name = "endless";
  readonly model = "endless";
  readonly contextLength = 128_000;
  pieces = 0;
  isEnded = false;
  readonly #piece: string;

  constructor(piece: string) {
    this.#piece = piece;
  }

  async *run(): AsyncGenerator<AgentEvent> {
    try {
      for (;;) {
        this.pieces += 1;
        yield { type: "text", delta: this.#piece };
      }
    } finally {
      this.isEnded = true;
    }
  }
}
