import { setTimeout as waitMs } from "node:timers/promises";
import type { AgentBackend, AgentEvent, Failure, TurnMessage, TurnRequest } from "./backend.js";
import { textOf } from "./text.js";

/** The agent without a model: the same question always gets the same answer. */
export function echoAgent(): AgentBackend {
  return { name: "echo", model: "echo", contextLength: 128_000, run };
}

export const NO_MODEL =
  "No model is configured, so I only repeat what you write. " +
  "Run `hermes setup`, or set `model.provider` and `model.default` in config.yaml.";

type Word = (rest: string, request: TurnRequest, signal: AbortSignal) => AsyncGenerator<AgentEvent, string>;

/** For tests and trials: what stands at the start of the text decides how the answer comes about. */
const WORDS: Record<string, Word> = {
  /** `!slow 200 text`: waits that many milliseconds, then answers with the text. */
  async *"!slow"(rest, _request, signal) {
    const [, ms = "0", text = ""] = /^(\d+)\s*([\s\S]*)$/.exec(rest) ?? [];
    await waitMs(Number(ms), undefined, { signal });
    return text;
  },

  /** `!tool name {"a":1}`: calls that tool and answers with what it gave. */
  async *"!tool"(rest, request, signal) {
    const [, name = "", args = ""] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
    const id = `echo_${request.history.length}`;
    yield told({ role: "assistant", content: null, tool_calls: [asCall(id, name, args || "{}")] });
    const tool = request.tools.find((tool) => tool.name === name);
    const result = tool ? await tool.run(asArguments(args), signal) : `There is no tool ${name}.`;
    yield told({ role: "tool", content: result, tool_call_id: id, tool_name: name });
    return result;
  },

  /** `!fail rate_limit`: the turn fails in that way. */
  async *"!fail"(rest) {
    throw new WantedFailure(KINDS.find((kind) => kind === rest.trim()) ?? "other");
  },
};

const KINDS: readonly Failure["kind"][] = [
  "context_length",
  "rate_limit",
  "timeout",
  "refused",
  "network",
  "stopped",
  "other",
];

class WantedFailure extends Error {
  readonly kind: Failure["kind"];
  constructor(kind: Failure["kind"]) {
    super(`asked to fail with ${kind}`);
    this.kind = kind;
  }
}

async function* run(request: TurnRequest, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  try {
    signal.throwIfAborted();
    const asked = request.input.map((message) => textOf(message.content)).join("\n");
    const answer = withNote(yield* answerTo(asked, request, signal), request);
    for (const delta of pieces(answer)) {
      signal.throwIfAborted();
      yield { type: "text", delta };
    }
    yield told({ role: "assistant", content: answer, finish_reason: "stop" });
    yield usage(asked, answer);
    yield { type: "done" };
  } catch (error) {
    yield { type: "failed", failure: failureOf(error, signal) };
  }
}

/** In shared sessions a text begins with `[name]`. */
const COMMAND = /^(?:\[[^\]]*\]\s*)?(![a-z]+)\s*([\s\S]*)$/;

async function* answerTo(
  asked: string,
  request: TurnRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, string> {
  const [, name = "", rest = ""] = COMMAND.exec(asked) ?? [];
  const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  return word ? yield* word(rest, request, signal) : asked;
}

function withNote(answer: string, request: TurnRequest): string {
  const isFirst = !request.history.some((message) => message.role === "assistant");
  return isFirst ? `${NO_MODEL}\n\n${answer}` : answer;
}

const PIECES = 4;

function pieces(answer: string): string[] {
  const words = answer.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
  const size = Math.max(1, Math.ceil(words.length / PIECES));
  return Array.from({ length: Math.ceil(words.length / size) }, (_, i) =>
    words.slice(i * size, (i + 1) * size).join(""),
  );
}

function told(message: TurnMessage): AgentEvent {
  return { type: "message", message };
}

function asCall(id: string, name: string, args: string): unknown {
  return { id, type: "function", function: { name, arguments: args } };
}

function asArguments(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function usage(asked: string, answer: string): AgentEvent {
  const counts = { inputTokens: roughTokens(asked), outputTokens: roughTokens(answer) };
  const none = { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, costUsd: 0 };
  return { type: "usage", usage: { model: "echo", provider: "echo", ...counts, ...none } };
}

function roughTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function failureOf(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted) return { kind: "stopped", message: "stopped", notice: "Stopped." };
  const message = error instanceof Error ? error.message : String(error);
  const kind = error instanceof WantedFailure ? error.kind : "other";
  return { kind, message, notice: `The echo agent failed (${kind}). Try again.` };
}
