/** Answers in the format of Chat Completions. */
import type { Answer } from "./answer.js";
import type { EventWriter } from "./event-text.js";
import type { Exchange } from "./exchange.js";
import { completionId } from "./ids.js";

export function chatCompletion({ id, createdAt }: Exchange, answer: Answer) {
  const { text, calls, finishReason, model } = answer;
  const message = {
    role: "assistant",
    content: calls.length > 0 && text === "" ? null : text,
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls.map(toolCall) } : {}),
  };
  return {
    id: completionId(id),
    object: "chat.completion",
    created: createdAt,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason(finishReason) }],
    usage: usageOf(answer),
    system_fingerprint: null,
  };
}

export function chatWriter({ id, createdAt }: Exchange, model: string, includeUsage: boolean): EventWriter {
  const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
  const chunk = (choices: object[], more: object = {}) =>
    event({
      id: completionId(id),
      object: "chat.completion.chunk",
      created: createdAt,
      model,
      choices,
      ...more,
    });
  const choice = (delta: object, finish: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason: finish },
  ];
  const usage = includeUsage ? { usage: null } : {};
  return {
    begin: () => chunk(choice({ role: "assistant", content: "" }), usage),
    piece: (delta) => chunk(choice({ content: delta }), usage),
    end: (answer) => {
      const { calls, finishReason } = answer;
      const called = calls.map((call, index) => ({ index, ...toolCall(call) }));
      return [
        calls.length > 0 ? chunk(choice({ tool_calls: called }), usage) : "",
        chunk(choice({}, reason(finishReason)), usage),
        includeUsage ? chunk([], { usage: usageOf(answer) }) : "",
        "data: [DONE]\n\n",
      ].join("");
    },
    fail: (error) => event(error.body),
  };
}

function toolCall({ id, name, arguments: args }: Answer["calls"][number]) {
  return { id, type: "function", function: { name, arguments: args } };
}

const REASONS = new Set(["stop", "length", "tool_calls", "content_filter"]);

const reason = (finishReason: string) => (REASONS.has(finishReason) ? finishReason : "stop");

function usageOf({ usage }: Answer) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
