/** A turn's result, for the program that requested it. */
import type { TurnMessage, TurnUsage } from "../agents/backend.js";
import type { AnswerDetails, AnswerUsage, ClientCall, ClientRequest } from "../client-request.js";
import type { SessionRow } from "../session.js";

export function answerDetails(
  request: ClientRequest,
  session: SessionRow,
  model: string,
  result: { messages: readonly TurnMessage[]; usages: readonly TurnUsage[] },
): AnswerDetails {
  const last = result.messages.findLast((message) => message.role === "assistant");
  const calls = callsFor(request, last);
  return {
    sessionId: session.id,
    model: result.usages.at(-1)?.model ?? model,
    finishReason: calls.length > 0 ? "tool_calls" : (last?.finish_reason ?? "stop"),
    calls,
    usage: sumOf(result.usages),
  };
}

export function failureDetails(
  session: SessionRow,
  model: string,
  { kind, message }: { kind: string; message: string },
): AnswerDetails {
  const failure = { kind, message };
  return { sessionId: session.id, model, finishReason: "error", calls: [], usage: sumOf([]), failure };
}

/** Tool calls in the last message that the client must run. */
function callsFor({ tools = [] }: ClientRequest, last: TurnMessage | undefined): ClientCall[] {
  const calls = (last?.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
  return calls
    .map(({ id, function: { name, arguments: args } }) => ({ id, name, arguments: args }))
    .filter(({ name }) => tools.some((tool) => tool.name === name));
}

function sumOf(usages: readonly TurnUsage[]): AnswerUsage {
  const sum = (pick: (usage: TurnUsage) => number) => usages.reduce((total, usage) => total + pick(usage), 0);
  return {
    inputTokens: sum((u) => u.inputTokens + u.cacheReadTokens + u.cacheWriteTokens),
    cachedTokens: sum((u) => u.cacheReadTokens),
    outputTokens: sum((u) => u.outputTokens),
    reasoningTokens: sum((u) => u.reasoningTokens),
  };
}
