import type { AgentBackend, AgentEvent, TurnRequest } from "../../src/agents/backend.js";
import { resultMessage, runCall } from "../../src/agents/calls.js";
import { type Call, storedCall } from "../../src/tool-calls.js";

export type ScriptedStep =
  | { say: readonly string[] }
  | { call: string; args?: object; raw?: string }
  | { usage: number }
  | { wait: () => Promise<unknown> };

/** An agent that follows a script, one step after another; it records its requests and the results of its calls. */
export class ScriptedAgent implements AgentBackend {
  readonly name = "scripted";
  readonly model = "scripted-1";
  readonly contextLength = 100_000;
  readonly requests: TurnRequest[] = [];
  readonly results: string[] = [];
  readonly #script: (request: TurnRequest) => readonly ScriptedStep[];

  constructor(script: readonly ScriptedStep[] | ((request: TurnRequest) => readonly ScriptedStep[])) {
    this.#script = typeof script === "function" ? script : () => script;
  }

  async *run(request: TurnRequest, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    this.requests.push(request);
    try {
      for (const [i, step] of this.#script(request).entries()) {
        signal.throwIfAborted();
        if ("wait" in step) await step.wait();
        if ("usage" in step) yield { type: "usage", usage: usageOf(step.usage) };
        if ("call" in step) yield* this.#call(step, `call_${i}`, request, signal);
        if (!("say" in step)) continue;
        for (const delta of step.say) yield { type: "text", delta };
        const content = step.say.join("");
        yield { type: "message", message: { role: "assistant", content, finish_reason: "stop" } };
      }
      signal.throwIfAborted();
      yield { type: "done" };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const kind = signal.aborted ? "stopped" : "other";
      yield { type: "failed", failure: { kind, message, notice: message } };
    }
  }

  async *#call(
    step: { call: string; args?: object; raw?: string },
    id: string,
    request: TurnRequest,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent> {
    const call: Call = { id, name: step.call, arguments: step.raw ?? JSON.stringify(step.args ?? {}) };
    yield { type: "message", message: { role: "assistant", content: null, tool_calls: [storedCall(call)] } };
    signal.throwIfAborted();
    const result = await runCall(call, request.tools, signal);
    this.results.push(result);
    yield { type: "message", message: resultMessage(call, result) };
  }
}

function usageOf(costUsd: number) {
  const tokens = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { model: "scripted-1", provider: "scripted", ...tokens, reasoningTokens: 0, costUsd };
}
