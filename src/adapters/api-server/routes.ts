/** `/v1/*`: OpenAI's API, each request a message in one of its key's chats. */
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { LoginThrottle } from "../../login-throttle.js";
import type { RateLimit } from "../../rate-limit.js";
import { chatCompletion, chatWriter } from "./chat-answer.js";
import { readChatRequest } from "./chat-request.js";
import type { CompletionRequest } from "./completion-request.js";
import { previousChat, storedResponse } from "./earlier-responses.js";
import { ApiError } from "./errors.js";
import { type EventWriter, eventStream, wholeAnswer } from "./event-text.js";
import { type Exchange, type ExchangeParts, openExchange } from "./exchange.js";
import { keyOf } from "./keys.js";
import type { RequestChat } from "./request-chat.js";
import { response, responseWriter } from "./responses-answer.js";
import { readResponsesRequest } from "./responses-request.js";

export interface ApiParts extends ExchangeParts {
  /** By name. */
  keys: Readonly<Record<string, string>>;
  throttle: LoginThrottle;
  /** For counting wrong keys; undefined: a program on this machine. */
  clientAddress(c: Context): string | undefined;
  /** By key. */
  rate: RateLimit | undefined;
  /** Model names for /v1/models; the first is the default. */
  models: readonly string[];
  model: string;
  startedAt: number;
  log(error: unknown, path: string): void;
}

type Env = { Variables: { key: string } };

export function apiRoutes(parts: ApiParts): Hono<Env> {
  const app = new Hono<Env>();
  app.onError((error, c) => failure(c, error, parts));
  app.notFound((c) => failure(c, new ApiError(404, "not_found", "Not found"), parts));
  app.use(async (c, next) => {
    c.header("Cache-Control", "no-store");
    c.set("key", authenticate(c, parts));
    await next();
  });
  app.get("/models", (c) => c.json({ object: "list", data: parts.models.map((id) => model(id, parts)) }));
  app.get("/models/:id{.+}", (c) => {
    const id = c.req.param("id");
    if (!parts.models.includes(id))
      throw new ApiError(404, "model_not_found", `There is no model ${id.slice(0, 80)}`);
    return c.json(model(id, parts));
  });
  app.post("/chat/completions", (c) => chatCompletions(c, parts));
  app.post("/responses", (c) => responses(c, parts));
  app.get("/responses/:id", async (c) =>
    c.json(await storedResponse(parts, c.get("key"), c.req.param("id"))),
  );
  return app;
}

async function chatCompletions(c: Context<Env>, parts: ApiParts): Promise<Response> {
  const body = await readJson(c, parts);
  const request = readChatRequest(body);
  const exchange = await open(c, parts, request, body);
  if (request.stream)
    return streamed(c, parts, exchange, chatWriter(exchange, parts.model, request.includeUsage));
  const answer = await wholeAnswer(exchange, parts.model, c.req.raw.signal);
  return c.json(chatCompletion(exchange, answer), 200, sessionHeaders(exchange, answer.sessionId));
}

async function responses(c: Context<Env>, parts: ApiParts): Promise<Response> {
  const body = await readJson(c, parts);
  const request = readResponsesRequest(body);
  const { previousResponseId } = request;
  const chat =
    previousResponseId === null ? undefined : await previousChat(parts, c.get("key"), previousResponseId);
  const exchange = await open(c, parts, request, body, chat);
  const echoed = { instructions: request.instructions || null, previousResponseId };
  if (request.stream) return streamed(c, parts, exchange, responseWriter(exchange, echoed, parts.model));
  const answer = await wholeAnswer(exchange, parts.model, c.req.raw.signal);
  return c.json(response(exchange, echoed, answer), 200, sessionHeaders(exchange, answer.sessionId));
}

function open(
  c: Context<Env>,
  parts: ApiParts,
  request: CompletionRequest,
  body: unknown,
  chat?: RequestChat,
): Promise<Exchange> {
  return openExchange(parts, request, {
    key: c.get("key"),
    path: c.req.path,
    body,
    header: (name) => c.req.header(name),
    ...(chat ? { chat } : {}),
  });
}

function streamed(c: Context<Env>, parts: ApiParts, exchange: Exchange, writer: EventWriter): Response {
  return c.body(eventStream(exchange, writer, parts.model), 200, {
    ...sessionHeaders(exchange, exchange.sessionId),
    "Content-Type": "text/event-stream; charset=utf-8",
    // Keep proxies from buffering the stream.
    "X-Accel-Buffering": "no",
  });
}

function sessionHeaders({ requestId, sessionKey }: Exchange, sessionId: string): Record<string, string> {
  return { "X-Hermes-Session-Id": sessionId, "X-Hermes-Session-Key": sessionKey, "X-Request-Id": requestId };
}

function authenticate(c: Context<Env>, { keys, throttle, clientAddress }: ApiParts): string {
  const header = c.req.header("authorization");
  const address = clientAddress(c);
  let key: string | undefined;
  const check = () => {
    key = keyOf(header, keys);
    return key !== undefined;
  };
  const verdict = address === undefined ? check() && "right" : throttle.check(address, check);
  if (verdict === "too_many")
    throw new ApiError(429, "too_many_wrong_keys", "Too many wrong keys; wait a minute", {
      retryAfterSeconds: 60,
    });
  if (key !== undefined) return key;
  c.header("WWW-Authenticate", "Bearer");
  const hint =
    Object.keys(keys).length === 0
      ? "No key is configured: set platforms.api_server.api_key (better: API_SERVER_KEY in .env), or http.token"
      : "This key is wrong, or missing: Authorization: Bearer <key>";
  throw new ApiError(401, "invalid_api_key", hint);
}

async function readJson(c: Context<Env>, { rate }: ApiParts): Promise<unknown> {
  const wait = rate?.take(c.get("key")) ?? 0;
  if (wait > 0)
    throw new ApiError(429, "rate_limit_exceeded", "Too many requests with this key", {
      retryAfterSeconds: wait,
    });
  if (!c.req.header("content-type")?.toLowerCase().startsWith("application/json"))
    throw new ApiError(415, "unsupported_media_type", "Send JSON: Content-Type: application/json");
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, "invalid_json", "The body isn't valid JSON");
  }
}

function failure(c: Context, error: unknown, parts: ApiParts): Response {
  // The body limit throws an HTTP error of its own.
  if (error instanceof Error && "getResponse" in error)
    return (error as { getResponse(): Response }).getResponse();
  if (!(error instanceof ApiError)) parts.log(error, c.req.path);
  const known =
    error instanceof ApiError
      ? error
      : new ApiError(500, "internal", "Internal error; see the gateway's log");
  if (known.retryAfterSeconds !== undefined) c.header("Retry-After", String(known.retryAfterSeconds));
  return c.json(known.body, known.status as ContentfulStatusCode);
}

function model(id: string, { startedAt }: ApiParts) {
  return { id, object: "model", created: startedAt, owned_by: "hermes-gateway" };
}
