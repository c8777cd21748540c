import { setTimeout as waitMs } from "node:timers/promises";
import { type Call, openCalls, splitCalls, storedCall } from "../tool-calls.js";
import type { AgentBackend, AgentEvent, Failure, TurnMessage, TurnRequest } from "./backend.js";
import { resultMessage, runCall } from "./calls.js";
import { isImage, textOf, withoutImages } from "./text.js";

/** A deterministic agent without a model. */
export function echoAgent(): AgentBackend {
  return { name: "echo", model: "echo", contextLength: 128_000, run };
}

export const NO_MODEL =
  "No model is configured, so I only repeat what you write. " +
  "The operator chooses a model with `hermes setup`.";

interface Reply {
  answer: string;
  /** A tool call; its result is the answer. One of the client's own tools is called instead of an answer. */
  call?: Call;
  /** Delay before each chunk. */
  everyMs?: number;
}
type Word = (rest: string, request: TurnRequest, signal: AbortSignal) => Promise<Reply>;

/** For tests and demos: a directive at the start of the text decides how the agent answers. */
const WORDS: Record<string, Word> = {
  /** `!slow 200 text`: waits that many milliseconds, then answers with the text. */
  "!slow": async (rest, _request, signal) => {
    const [, ms = "0", answer = ""] = /^(\d+)\s*([\s\S]*)$/.exec(rest) ?? [];
    await waitMs(Number(ms), undefined, { signal });
    return { answer };
  },

  /** `!drip 200 text`: answers with the text, each piece after that many milliseconds. */
  "!drip": async (rest) => {
    const [, ms = "0", answer = ""] = /^(\d+)\s*([\s\S]*)$/.exec(rest) ?? [];
    return { answer, everyMs: Number(ms) };
  },

  /** `!tool name {"a":1}`: calls that tool and answers with its result. */
  "!tool": async (rest, request) => {
    const [, name = "", args = ""] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
    return { answer: "", call: { id: `echo_${request.history.length}`, name, arguments: args || "{}" } };
  },

  /** `!fail rate_limit`: the turn fails in that way. */
  "!fail": async (rest) => {
    const [wanted] = rest.trim().split(/\s/, 1);
    throw new WantedFailure(KINDS.find((kind) => kind === wanted) ?? "other");
  },
};

function calling(call: Call): TurnMessage {
  return { role: "assistant", content: null, tool_calls: [storedCall(call)] };
}

const KINDS: readonly Failure["kind"][] = [
  "context_length",
  "rate_limit",
  "timeout",
  "credentials",
  "content_filter",
  "refused",
  "network",
  "limit",
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
    const asked = request.input.map(({ content }) => textOf(withoutImages(content))).join("\n");
    const reply = await replyTo(asked, request, signal);
    if (reply.call && splitCalls([reply.call], request.clientTools).theirs.length > 0) {
      yield { type: "message", message: { ...calling(reply.call), finish_reason: "tool_calls" } };
      yield usage(asked, reply.call.arguments);
      yield { type: "done" };
      return;
    }
    const result = reply.call ? yield* callTool(reply.call, request, signal) : reply.answer;
    const answer = withNote(result + seen(request), request);
    for (const delta of pieces(answer)) {
      if (reply.everyMs) await waitMs(reply.everyMs, undefined, { signal });
      signal.throwIfAborted();
      yield { type: "text", delta };
    }
    yield { type: "message", message: { role: "assistant", content: answer, finish_reason: "stop" } };
    yield usage(asked, answer);
    yield { type: "done" };
  } catch (error) {
    yield { type: "failed", failure: failureOf(error, signal) };
  }
}

/** Continues where an interrupted attempt stopped. */
async function* callTool(
  call: Call,
  { tools, steps = [] }: TurnRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, string> {
  if (steps.length === 0) yield { type: "message", message: calling(call) };
  const [open] = steps.length === 0 ? [call] : openCalls(steps);
  if (!open) return textOf(steps.at(-1)?.content ?? null);
  const result = await runCall(open, tools, signal);
  yield { type: "message", message: resultMessage(open, result) };
  return result;
}

/** In shared sessions a text begins with `[name]`. */
const COMMAND = /^(?:\[[^\]]*\]\s*)?(![a-z]+)\s*([\s\S]*)$/;

async function replyTo(asked: string, request: TurnRequest, signal: AbortSignal): Promise<Reply> {
  const [, name = "", rest = ""] = COMMAND.exec(asked) ?? [];
  const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  return word ? word(rest, request, signal) : { answer: asked };
}

/** Images that a model would have received. */
function seen({ input }: TurnRequest): string {
  const count = input
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(isImage).length;
  return count === 0 ? "" : `\n(${count} ${count === 1 ? "picture" : "pictures"} seen)`;
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
