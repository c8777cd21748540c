/** Runs a turn on a model: rounds of text and tool calls until there is an answer. */
import type { ClientTool } from "../client-request.js";
import type { ModelConfig } from "../config/schema.js";
import type { ChatMessage } from "../session.js";
import { type Call, CallIds, openCalls, readCalls, splitCalls, storedCall } from "../tool-calls.js";
import type { AgentBackend, AgentEvent, TurnMessage, TurnRequest } from "./backend.js";
import { resultMessage, runCall } from "./calls.js";
import { askFirst, type Candidate, candidate, DEFAULT_PACE, type Pace } from "./model/attempts.js";
import { contextLengthOf } from "./model/context-length.js";
import { RequestFailed, toFailure } from "./model/failures.js";
import { toModelMessages } from "./model/messages.js";
import type { Answer, ModelRequest } from "./model/request.js";
import { toUsage } from "./model/usage.js";
import { type Limits, limitsFrom } from "./model/watch.js";
import { estimateTextTokens, estimateTokens } from "./tokens.js";

export interface ModelAgentOptions {
  /** Model requests per turn, including those after tool calls. */
  maxSteps: number;
  /** Default: derived from the configured timeout. */
  limits?: Limits;
  pace?: Partial<Pace>;
}

export function modelAgent(config: ModelConfig, options: ModelAgentOptions): AgentBackend {
  const limitsOf = (timeout: number) => options.limits ?? limitsFrom(timeout);
  const chain = [config, ...config.fallback.filter((stand) => stand.provider !== "echo")].map((endpoint) =>
    candidate(endpoint, limitsOf(endpoint.timeout)),
  );
  const pace = { ...DEFAULT_PACE, ...options.pace };
  return {
    name: config.provider,
    model: config.default ?? "",
    contextLength: contextLengthOf(config),
    run: (request, signal) => {
      const setup = { chain: chainFor(chain, request.model), maxSteps: options.maxSteps, pace };
      return run(setup, request, signal);
    },
  };
}

interface Setup {
  chain: readonly Candidate[];
  maxSteps: number;
  pace: Pace;
}

/** A model chosen for the session uses the same endpoint; its price is unknown. */
function chainFor(chain: readonly Candidate[], model: string | undefined): readonly Candidate[] {
  const [first, ...rest] = chain;
  if (first === undefined || model === undefined || model === first.endpoint.default) return chain;
  const cost = { input: null, output: null };
  return [candidate({ ...first.endpoint, default: model, cost }, first.limits), ...rest];
}

async function* run(setup: Setup, request: TurnRequest, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  try {
    signal.throwIfAborted();
    yield* converse(setup, request, signal);
    yield { type: "done" };
  } catch (error) {
    yield { type: "failed", failure: toFailure(error, signal) };
  }
}

async function* converse(
  setup: Setup,
  request: TurnRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const { steps = [] } = request;
  const conversation: ChatMessage[] = [...request.history, ...request.input, ...steps];
  const rounds = steps.filter(({ role }) => role === "assistant");
  const ids = new CallIds(rounds.flatMap(readCalls));
  const last = rounds.at(-1);
  if (last && !(yield* runCalls(openCalls(steps), request, conversation, signal))) return;
  let chain = setup.chain;
  for (let step = rounds.length + 1; step <= setup.maxSteps; step++) {
    const asked = modelRequest(request, conversation, step, setup.maxSteps);
    const { answer, place } = yield* askFirst(chain, asked, setup.pace, signal);
    // Stick with the provider that answered; retrying the failed ones would repeat their timeout.
    chain = chain.slice(place);
    const calls = ids.unique(answer.calls);
    yield usageEvent(chain[0]!, answer, request.systemPrompt, conversation);
    yield* keep([assistantMessage({ ...answer, calls })], conversation);
    if (!(yield* runCalls(calls, request, conversation, signal))) return;
  }
  throw new RequestFailed("limit", `still calling tools after ${setup.maxSteps} requests`);
}

/** Returns whether another round follows: not without calls, and not after calls of the client's own tools. */
async function* runCalls(
  calls: readonly Call[],
  request: TurnRequest,
  conversation: ChatMessage[],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, boolean> {
  const { ours, theirs } = splitCalls(calls, request.clientTools);
  for (const call of ours)
    yield* keep([resultMessage(call, await runCall(call, request.tools, signal))], conversation);
  if (theirs.length > 0 || (calls.length === 0 && !endsWithResult(conversation))) return false;
  yield* keep(request.takeSteering().map(userMessage), conversation);
  return true;
}

/** An interrupted attempt may have stored all results of its last round. */
function endsWithResult(conversation: readonly ChatMessage[]): boolean {
  return conversation.at(-1)?.role !== "assistant";
}

function modelRequest(
  request: TurnRequest,
  conversation: readonly ChatMessage[],
  step: number,
  maxSteps: number,
): ModelRequest {
  return {
    system: request.systemPrompt,
    messages: toModelMessages(conversation),
    tools: offeredTools(request),
    ...(step === 1 && request.toolChoice ? { choice: request.toolChoice } : {}),
    // The last round must answer; the SDK fails the request if the model calls a tool anyway.
    mayCall: step < maxSteps,
    // After a tool call an empty answer is fine: the model may have said everything before it.
    mustSpeak: step === 1,
  };
}

function offeredTools({ tools, clientTools = [] }: TurnRequest): readonly ClientTool[] {
  const isShadowed = (name: string) => clientTools.some((tool) => tool.name === name);
  return [...tools.filter(({ name, hidden }) => !hidden && !isShadowed(name)), ...clientTools];
}

/** Emits a message and adds it to the model's context for the next round. */
function* keep(messages: readonly TurnMessage[], conversation: ChatMessage[]): Generator<AgentEvent> {
  for (const message of messages) {
    conversation.push(message);
    yield { type: "message", message };
  }
}

function userMessage(text: string): TurnMessage {
  return { role: "user", content: text };
}

function assistantMessage(answer: Answer): TurnMessage {
  const tokens = answer.usage?.outputTokens;
  return {
    role: "assistant",
    content: answer.text,
    ...(answer.calls.length > 0 ? { tool_calls: answer.calls.map(storedCall) } : {}),
    ...(answer.reasoning === "" ? {} : { reasoning: answer.reasoning }),
    finish_reason: answer.finishReason,
    ...(tokens === undefined ? {} : { token_count: tokens }),
  };
}

function usageEvent(
  { endpoint }: Candidate,
  answer: Answer,
  systemPrompt: string,
  conversation: readonly ChatMessage[],
): AgentEvent {
  const estimate = () => ({
    inputTokens: conversation.reduce(
      (sum, message) => sum + estimateTokens(message),
      estimateTextTokens(systemPrompt),
    ),
    outputTokens: estimateTextTokens(answer.text + answer.reasoning + JSON.stringify(answer.calls)),
  });
  return { type: "usage", usage: toUsage(endpoint, answer.usage, estimate) };
}
