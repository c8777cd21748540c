/** One request to one model: streams text deltas, then returns the whole answer. */
import type {
  LanguageModel,
  LanguageModelUsage,
  ModelMessage,
  SystemModelMessage,
  TextStreamPart,
  ToolSet,
} from "ai";
import type { ClientTool, ToolChoice } from "../../client-request.js";
import { AnswerLimit, MAX_ANSWER_CHARS, MAX_ARGUMENTS_CHARS, truncated } from "../../text-limits.js";
import type { Call } from "../../tool-calls.js";
import type { AgentEvent } from "../backend.js";
import { loadSdk } from "./endpoint.js";
import { classify, RequestFailed } from "./failures.js";
import { type Limits, watch } from "./watch.js";

export interface ModelRequest {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ClientTool[];
  /** Forces a tool call, or a call of this tool. */
  choice?: ToolChoice;
  /** False in the last round of a turn, which must produce an answer. */
  mayCall: boolean;
  /** An answer without words is a failure. */
  mustSpeak: boolean;
  maxTokens?: number;
  temperature?: number;
}

export interface Answer {
  text: string;
  reasoning: string;
  calls: Call[];
  /** OpenAI's finish reasons: stop, length, tool_calls, content_filter. */
  finishReason: string;
  usage: LanguageModelUsage | undefined;
}

export type Word = Extract<AgentEvent, { type: "text" }>;

/** Throws `RequestFailed` and nothing else. */
export async function* ask(
  model: LanguageModel,
  request: ModelRequest,
  limits: Limits,
  signal: AbortSignal,
): AsyncGenerator<Word, Answer> {
  const sdk = await loadSdk();
  const timer = watch(limits, signal);
  const answer: Answer = { text: "", reasoning: "", calls: [], finishReason: "", usage: undefined };
  const limit = new AnswerLimit();
  let unheardChars = 0;
  try {
    for await (const part of startStream(sdk, model, request, timer.signal)) {
      if (isWord(part)) timer.heard();
      if (part.type !== "text-delta") {
        take(part, answer);
        unheardChars += unheard(part);
        if (unheardChars > MAX_ANSWER_CHARS) throw endless(unheardChars);
        continue;
      }
      const delta = limit.take(part.text);
      answer.text += delta;
      if (delta !== "") yield { type: "text", delta };
      // Leaving the loop closes the connection.
      if (limit.isOver) return { ...answer, calls: [], finishReason: "length" };
    }
    return complete(answer, request, timer.signal);
  } catch (error) {
    throw asFailure(error, answer, timer.expired(), signal);
  } finally {
    timer.end();
  }
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;
type Part = TextStreamPart<ToolSet>;

function startStream(sdk: Sdk, model: LanguageModel, request: ModelRequest, signal: AbortSignal) {
  const tools: ToolSet = {};
  for (const { name, description, parameters } of request.tools) {
    tools[name] = { description, inputSchema: sdk.jsonSchema(parameters) };
  }
  const hasTools = request.tools.length > 0;
  const { fullStream } = sdk.streamText({
    model,
    system: cached<SystemModelMessage>({ role: "system", content: request.system }),
    messages: request.messages.map((message, i) =>
      i === request.messages.length - 1 ? cached(message) : message,
    ),
    ...(hasTools ? { tools, toolChoice: toolChoice(request) } : {}),
    ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    maxRetries: 0,
    abortSignal: signal,
    // Errors arrive as parts; the default would print them.
    onError: () => undefined,
  });
  return fullStream;
}

function toolChoice({ mayCall, choice }: ModelRequest) {
  if (!mayCall) return "none" as const;
  if (choice === undefined || choice === "required") return choice ?? ("auto" as const);
  return { type: "tool" as const, toolName: choice.name };
}

/** Anthropic caches a prefix only where it is marked; other providers ignore this. */
function cached<T extends ModelMessage>(message: T): T {
  return { ...message, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
}

/** Events that the SDK makes itself don't prove that the model is alive. */
function isWord(part: Part): boolean {
  return part.type !== "start" && part.type !== "start-step";
}

function take(part: Part, answer: Answer): void {
  if (part.type === "error") throw classify(part.error);
  else if (part.type === "reasoning-delta") answer.reasoning += part.text;
  else if (part.type === "tool-call") answer.calls.push(toCall(part));
  else if (part.type === "finish-step") {
    answer.finishReason = part.finishReason.replace("-", "_");
    answer.usage = part.usage;
  }
}

/** Output that isn't shown to the user: reasoning and tool-call arguments. */
function unheard(part: Part): number {
  if (part.type === "reasoning-delta") return part.text.length;
  return part.type === "tool-input-delta" ? part.delta.length : 0;
}

function endless(chars: number): RequestFailed {
  return new RequestFailed("other", `stopped after ${chars} characters of reasoning or tool arguments`);
}

/** Arguments that aren't valid JSON arrive as raw text. */
function toCall(part: { toolCallId: string; toolName: string; input: unknown }): Call {
  const args = typeof part.input === "string" ? part.input : JSON.stringify(part.input ?? {});
  const limited = truncated(args, MAX_ARGUMENTS_CHARS, "arguments");
  return { id: part.toolCallId, name: part.toolName, arguments: limited };
}

function complete(answer: Answer, request: ModelRequest, signal: AbortSignal): Answer {
  // An aborted stream just ends.
  signal.throwIfAborted();
  const isSilent = answer.text.trim() === "" && answer.calls.length === 0;
  if (isSilent && answer.finishReason === "content_filter") {
    throw new RequestFailed("content_filter", "the provider's content filter blocked the answer");
  }
  if (isSilent && answer.finishReason === "")
    throw new RequestFailed("network", "cut off", { isPassing: true });
  if (isSilent && request.mustSpeak) throw new RequestFailed("other", "empty answer", { isPassing: true });
  return answer;
}

function asFailure(
  error: unknown,
  answer: Answer,
  expired: string | undefined,
  signal: AbortSignal,
): RequestFailed {
  const failed = whatHappened(error, expired, signal);
  failed.wasHeard = answer.text !== "";
  return failed;
}

function whatHappened(error: unknown, expired: string | undefined, signal: AbortSignal): RequestFailed {
  if (signal.aborted) return new RequestFailed("stopped", "stopped");
  if (expired !== undefined) return new RequestFailed("timeout", expired);
  return classify(error);
}
