/** An agent service: an OpenAI-compatible endpoint that keeps its own conversation and gets only new messages. */
import type { Config } from "../config/schema.js";
import { field } from "../field.js";
import type { ChatMessage } from "../session.js";
import { truncated } from "../text-limits.js";
import type { AgentBackend, AgentEvent, Failure, FailureKind, TurnRequest, TurnUsage } from "./backend.js";
import { CONTINUE, type Plan, planOf, readKept } from "./own-conversation.js";
import { readEvents } from "./sse.js";

/** Which conversation of the service a request belongs to. */
const SESSION_HEADER = "x-hermes-session-id";
const CONTEXT_LENGTH = 200_000;
const MAX_ERROR_CHARS = 500;

export function serviceAgent(settings: Config["agent_service"], { name }: { name: string }): AgentBackend {
  return {
    name: "http",
    model: settings.model,
    contextLength: CONTEXT_LENGTH,
    keepsState: true,
    run: (request, signal) => run(settings, name, request, signal),
  };
}

class ServiceFailed extends Error {
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

async function* run(
  settings: Config["agent_service"],
  name: string,
  request: TurnRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const quiet = new Quiet(settings.timeout);
  const ended = AbortSignal.any([signal, quiet.signal]);
  try {
    signal.throwIfAborted();
    yield* converse(settings, request, ended, quiet);
    yield { type: "done" };
  } catch (error) {
    yield { type: "failed", failure: toFailure(error, name, signal, quiet) };
  } finally {
    quiet.stop();
  }
}

async function* converse(
  settings: Config["agent_service"],
  request: TurnRequest,
  signal: AbortSignal,
  quiet: Quiet,
): AsyncGenerator<AgentEvent> {
  const { own, history, input, session } = request;
  if (!own) throw new Error("this turn can't be recorded");
  const kept = readKept(await own.read());
  const plan = planOf(kept, own.sent, history);
  const id = plan.to === "begin" ? nextId(session.id, kept?.id) : plan.id;
  if (plan.to !== "continue") {
    await own.write(JSON.stringify({ id, seen: history.length }));
    await own.sending(id);
  }
  const response = await post(settings, bodyOf(settings.model, request, plan, id), id, signal);
  const answer = { text: "", finishReason: "stop" };
  for await (const chunk of readEvents(response, signal)) {
    quiet.restart();
    yield* take(chunk, answer, settings);
  }
  if (answer.text.trim() === "") throw new ServiceFailed("other", "it gave no answer");
  const message = { role: "assistant", content: answer.text, finish_reason: answer.finishReason };
  yield { type: "message", message };
  await own.write(JSON.stringify({ id, seen: history.length + input.length + 1 }));
}

/** A conversation with a changed history can't continue, so it gets a new id. */
function nextId(sessionId: string, before: string | undefined): string {
  if (before === undefined) return sessionId;
  const number = Number(before.slice(sessionId.length + 1)) || 1;
  return `${sessionId}.${number + 1}`;
}

function bodyOf(model: string, request: TurnRequest, plan: Plan, id: string): object {
  const { principal, session } = request;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: messagesOf(request, plan),
    user: `${principal.platform}:${principal.userId}`,
    metadata: { session_id: id, source: session.source },
  };
}

function messagesOf({ systemPrompt, history, input }: TurnRequest, plan: Plan): ChatMessage[] {
  if (plan.to === "continue") return [{ role: "user", content: CONTINUE }];
  const before = plan.to === "begin" ? history : plan.missed;
  const system = plan.to === "begin" ? [{ role: "system", content: systemPrompt }] : [];
  const spoken = before.filter(({ role }) => role === "user" || role === "assistant");
  return [...system, ...spoken.map(({ role, content }) => ({ role, content })), ...input];
}

async function post(
  { url, api_key }: Config["agent_service"],
  body: object,
  id: string,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(`${String(url).replace(/\/$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      [SESSION_HEADER]: id,
      ...(api_key === null ? {} : { authorization: `Bearer ${api_key}` }),
    },
    body: JSON.stringify(body),
    redirect: "error",
    signal,
  });
  if (response.ok) return response;
  const text = truncated(await response.text().catch(() => ""), MAX_ERROR_CHARS, "error");
  throw new ServiceFailed(kindOf(response.status), `it answered ${response.status}: ${text}`);
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return "credentials";
  if (status === 429) return "rate_limit";
  return status < 500 ? "refused" : "other";
}

interface Answer {
  text: string;
  finishReason: string;
}

/** A chunk of a stream, or a whole answer of a service that doesn't stream. */
function* take(chunk: unknown, answer: Answer, settings: Config["agent_service"]): Generator<AgentEvent> {
  const problem = field(field(chunk, "error"), "message");
  if (typeof problem === "string")
    throw new ServiceFailed("other", truncated(problem, MAX_ERROR_CHARS, "error"));
  const choices = field(chunk, "choices");
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  const delta = field(field(choice, "delta") ?? field(choice, "message"), "content");
  if (typeof delta === "string" && delta !== "") {
    answer.text += delta;
    yield { type: "text", delta };
  }
  const reason = field(choice, "finish_reason");
  if (typeof reason === "string") answer.finishReason = reason;
  const usage = field(chunk, "usage");
  if (typeof usage === "object" && usage !== null) yield { type: "usage", usage: usageOf(usage, settings) };
}

function usageOf(usage: object, { model, url }: Config["agent_service"]): TurnUsage {
  const count = (name: string) => {
    const value = field(usage, name);
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
  };
  return {
    ...{ model, provider: "http", baseUrl: String(url) },
    inputTokens: count("prompt_tokens"),
    outputTokens: count("completion_tokens"),
    ...{ cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  };
}

function toFailure(error: unknown, name: string, signal: AbortSignal, quiet: Quiet): Failure {
  if (signal.aborted) return { kind: "stopped", message: "stopped", notice: "Stopped." };
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  const message = `${name}: ${error instanceof Error ? error.message : String(error)}${cause}`;
  if (quiet.signal.aborted)
    return {
      kind: "timeout",
      message: `${name}: it was silent for ${quiet.seconds} s`,
      notice: `The agent ${name} was silent for ${quiet.seconds} s, so I stopped waiting. Ask again.`,
    };
  const kind = error instanceof ServiceFailed ? error.kind : "network";
  const notice =
    kind === "network"
      ? `The agent ${name} can't be reached, or the connection broke. Some of its work may be done. Ask again.`
      : `The agent ${name} reported an error. Ask again; the operator's log says more.`;
  return { kind, message, notice };
}

/** Aborts after this much silence. */
class Quiet {
  readonly seconds: number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number) {
    this.seconds = seconds;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.stop();
    this.#timer = setTimeout(
      () => this.#controller.abort("quiet"),
      Math.min(this.seconds * 1000, 2 ** 31 - 1),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
