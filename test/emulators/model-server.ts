import { EventEmitter, once } from "node:events";
import http, { type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";

/**
 * A model service on loopback that answers what it was told to: OpenAI's chat completions under `/v1/chat/completions`
 * and Anthropic's messages under `/v1/messages`, streamed or whole. Set `base_url` to `server.url`.
 */

export interface Scripted {
  /** One chunk each. */
  text?: readonly string[];
  reasoning?: readonly string[];
  calls?: readonly ScriptedCall[];
  finishReason?: string;
  /** Null: says nothing about usage. */
  usage?: ScriptedUsage | null;
  /** Instead of an answer. */
  error?: { status: number; body: unknown; headers?: Record<string, string> };
  firstWordAfterMs?: number;
  /** Before each chunk. */
  everyMs?: number;
  /** After this many chunks the connection is cut; 0: with the headers, -1: before them. */
  cutAfter?: number;
  /** After this many chunks nothing more comes, and the connection stays. */
  stallAfter?: number;
  /** After so many chunks it waits until the test lets it go on. */
  gates?: readonly { after: number; opened: Promise<unknown> }[];
  /** The text comes again and again, until the client leaves. */
  endless?: boolean;
}

export interface ScriptedCall {
  id?: string;
  name: string;
  /** An object, or the text that stands in its place. */
  arguments: unknown;
}

export interface ScriptedUsage {
  input: number;
  output: number;
  cacheRead?: number;
  reasoning?: number;
}

export interface RecordedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: ChatBody;
}

/** The parts of a request that tests look at. */
export interface ChatBody {
  model: string;
  stream?: boolean;
  max_tokens?: number;
  temperature?: number;
  tool_choice?: unknown;
  system?: unknown;
  tools?: { function?: { name: string; parameters: unknown } }[];
  messages: { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
}

// --- what it can be told to do ------------------------------------------------------------------------------------

export const says = (...text: string[]): Scripted => ({ text });
export const calls = (name: string, args: unknown, id?: string): Scripted => ({
  calls: [{ name, arguments: args, ...(id === undefined ? {} : { id }) }],
});
export const refuses = (status: number, message: string, headers: Record<string, string> = {}): Scripted => ({
  error: { status, body: { error: { message, type: "error" } }, headers },
});
export const tooLong = (
  message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
): Scripted => ({ error: { status: 400, body: { error: { message, code: "context_length_exceeded" } } } });

// --- the server ---------------------------------------------------------------------------------------------------

export type Respond = (request: RecordedRequest) => Scripted;

export interface ModelServerOptions {
  port?: number;
  /** Answers when the script is at its end; by default with the user's last message. */
  otherwise?: Respond;
  /** What it lists under `/models`. Default: nothing. */
  models?: readonly string[];
  /** If set, other keys get a 401. */
  key?: string;
  /** Requests that the script answers. Default: all. */
  isScripted?: (request: RecordedRequest) => boolean;
}

export class ModelServer {
  readonly requests: RecordedRequest[] = [];
  readonly #server: http.Server;
  readonly #events = new EventEmitter();
  readonly #script: Scripted[] = [];
  readonly #otherwise: Respond;
  readonly #isScripted: (request: RecordedRequest) => boolean;
  readonly #models: readonly string[];
  readonly #key: string | undefined;
  #left = 0;

  private constructor(options: ModelServerOptions) {
    const { otherwise = repeat, isScripted = () => true, models = [], key } = options;
    this.#models = models;
    this.#key = key;
    this.#otherwise = otherwise;
    this.#isScripted = isScripted;
    this.#events.setMaxListeners(0);
    this.#server = http.createServer((incoming, response) => {
      void readBody(incoming).then((body) => this.#handle(incoming, body, response));
    });
  }

  static async start(options: ModelServerOptions = {}) {
    const server = new ModelServer(options);
    server.#server.listen(options.port ?? 0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** One answer a request, in this order. */
  script(...answers: Scripted[]): void {
    this.#script.push(...answers);
  }

  /** Resolves with the request of this number, counted from 1. */
  async received(count: number): Promise<RecordedRequest> {
    while (this.requests.length < count) await once(this.#events, "request");
    return this.requests[count - 1]!;
  }

  /** Resolves when so many clients have left before their answer was at its end. */
  async left(count: number): Promise<void> {
    while (this.#left < count) await once(this.#events, "left");
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(incoming: http.IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? "";
    if (this.#key !== undefined && incoming.headers.authorization !== `Bearer ${this.#key}`)
      return sendJson(response, 401, { error: { message: "Incorrect API key provided" } });
    if (incoming.method !== "POST") {
      if (path !== "/v1/models") return sendJson(response, 404, { error: { message: "Not found" } });
      const data = this.#models.map((id) => ({ id, object: "model" }));
      return sendJson(response, 200, { object: "list", data });
    }
    const request = { path, headers: incoming.headers, body: JSON.parse(body) as ChatBody };
    const next = this.#isScripted(request) ? this.#script.shift() : undefined;
    const scripted = next ?? this.#otherwise(request);
    response.on("close", () => {
      if (!response.writableFinished) this.#left++;
      this.#events.emit("left");
    });
    this.requests.push(request);
    this.#events.emit("request");
    await respond(scripted, request, response);
  }
}

async function readBody(incoming: http.IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of incoming) body += chunk;
  return body;
}

function repeat({ body }: RecordedRequest): Scripted {
  const content = body.messages.findLast((message) => message.role === "user")?.content;
  return says(typeof content === "string" ? content : JSON.stringify(content));
}

// --- an answer ----------------------------------------------------------------------------------------------------

async function respond(
  scripted: Scripted,
  request: RecordedRequest,
  response: ServerResponse,
): Promise<void> {
  if (scripted.error) {
    return sendJson(response, scripted.error.status, scripted.error.body, scripted.error.headers);
  }
  const dialect = request.path.split("?", 1)[0]!.endsWith("/messages") ? anthropic : openai;
  if (!request.body.stream) return sendJson(response, 200, openaiWhole(scripted, request.body.model));
  if (scripted.cutAfter === -1) return void response.destroy();
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  await stream(scripted, dialect(scripted, request.body.model), response);
}

async function stream(scripted: Scripted, dialect: Dialect, response: ServerResponse): Promise<void> {
  for (const piece of dialect.before) response.write(piece);
  if (scripted.firstWordAfterMs !== undefined) await elapsed(scripted.firstWordAfterMs, response);
  let sent = 0;
  do {
    for (const piece of dialect.pieces) {
      if (response.destroyed) return;
      if (sent === scripted.cutAfter) return cut(response);
      if (sent === scripted.stallAfter) return;
      await gateAt(scripted, sent, response);
      if (scripted.everyMs !== undefined) await elapsed(scripted.everyMs, response);
      await written(response, piece);
      sent++;
    }
  } while (scripted.endless);
  if (sent === scripted.cutAfter) return cut(response);
  if (sent === scripted.stallAfter) return;
  await gateAt(scripted, sent, response);
  response.end(dialect.after.join(""));
}

/** Open at once when the client leaves. */
async function gateAt({ gates = [] }: Scripted, sent: number, response: ServerResponse): Promise<void> {
  const gate = gates.find(({ after }) => after === sent);
  if (gate && !response.destroyed) await Promise.race([gate.opened, once(response, "close")]);
}

/** Resolves early when the client leaves, so that no test waits for it. */
async function elapsed(ms: number, response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.once("close", done);
  });
}

/** Handed to the kernel, so that a cut comes after it; and a moment for the client, so that chunks stay apart. */
async function written(response: ServerResponse, piece: string): Promise<void> {
  await new Promise<void>((resolve) => response.write(piece, () => setImmediate(resolve)));
}

function cut(response: ServerResponse): void {
  // What is written must arrive first: a reset would throw it away.
  response.socket?.end(() => response.destroy());
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

interface Dialect {
  before: string[];
  /** What counts as a chunk. */
  pieces: string[];
  after: string[];
}

const asText = (args: unknown) => (typeof args === "string" ? args : JSON.stringify(args));
const usageOf = ({ usage }: Scripted): ScriptedUsage => usage ?? { input: 10, output: 5 };

// --- OpenAI -------------------------------------------------------------------------------------------------------

function openai(scripted: Scripted, model: string): Dialect {
  const event = (body: object) => `data: ${JSON.stringify({ id: "c1", created: 1, model, ...body })}\n\n`;
  const delta = (delta: object) => event({ choices: [{ index: 0, delta, finish_reason: null }] });
  const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(scripted) }] });
  const usage = event({ choices: [], usage: openaiUsage(scripted) });
  return {
    before: [delta({ role: "assistant" })],
    pieces: [
      ...(scripted.reasoning ?? []).map((text) => delta({ reasoning_content: text })),
      ...(scripted.text ?? []).map((text) => delta({ content: text })),
      ...openaiCalls(scripted).flatMap(([start, ...rest]) =>
        [start, ...rest].map((call) => delta({ tool_calls: [call] })),
      ),
    ],
    after: [finish, ...(scripted.usage === null ? [] : [usage]), "data: [DONE]\n\n"],
  };
}

/** Arguments come in two halves, as they do in life. */
function openaiCalls(scripted: Scripted): object[][] {
  return (scripted.calls ?? []).map(({ id, name, arguments: args }, index) => {
    const text = asText(args);
    const half = Math.ceil(text.length / 2);
    return [
      {
        index,
        id: id ?? `call_${index}`,
        type: "function",
        function: { name, arguments: text.slice(0, half) },
      },
      { index, function: { arguments: text.slice(half) } },
    ];
  });
}

function openaiWhole(scripted: Scripted, model: string): object {
  const message = { role: "assistant", content: (scripted.text ?? []).join("") };
  const choices = [{ index: 0, message, finish_reason: finishOf(scripted) }];
  return { id: "c1", created: 1, object: "chat.completion", model, choices, usage: openaiUsage(scripted) };
}

function finishOf(scripted: Scripted): string {
  return scripted.finishReason ?? (scripted.calls ? "tool_calls" : "stop");
}

function openaiUsage(scripted: Scripted): object {
  const { input, output, cacheRead = 0, reasoning = 0 } = usageOf(scripted);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

// --- Anthropic ----------------------------------------------------------------------------------------------------

function anthropic(scripted: Scripted, model: string): Dialect {
  const event = (type: string, body: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
  const { input, output, cacheRead = 0 } = usageOf(scripted);
  const usage = { input_tokens: input - cacheRead, output_tokens: 1, cache_read_input_tokens: cacheRead };
  const message = { id: "m1", type: "message", role: "assistant", model, content: [], usage };
  const stop = { stop_reason: scripted.calls ? "tool_use" : "end_turn", stop_sequence: null };
  const blocks = anthropicBlocks(scripted).flatMap(({ start, deltas }, index) => [
    event("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ]);
  return {
    before: [event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } })],
    pieces: blocks,
    after: [
      event("message_delta", { delta: stop, usage: { output_tokens: output } }),
      event("message_stop", {}),
    ],
  };
}

function anthropicBlocks(scripted: Scripted): { start: object; deltas: object[] }[] {
  const words = { start: { type: "text", text: "" }, deltas: (scripted.text ?? []).map(textDelta) };
  const tools = (scripted.calls ?? []).map(({ id, name, arguments: args }, index) => ({
    start: { type: "tool_use", id: id ?? `toolu_${index}`, name, input: {} },
    deltas: [{ type: "input_json_delta", partial_json: asText(args) }],
  }));
  return [...(words.deltas.length > 0 ? [words] : []), ...tools];
}

function textDelta(text: string): object {
  return { type: "text_delta", text };
}

// `npx tsx test/emulators/model-server.ts 8080`: a model for trials by hand, that repeats what it is told.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const server = await ModelServer.start({ port: Number(process.argv[2] ?? 0) });
  process.stdout.write(`base_url: ${server.url}\n`);
}
