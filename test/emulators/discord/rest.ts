/** The REST API: a request → its route → an answer, with rate limits and faults. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Buckets, Limit } from "./buckets.js";
import type { EmulatorCore } from "./core.js";
import * as errors from "./errors.js";
import { ApiError } from "./errors.js";
import type { Faults } from "./faults.js";
import type { Interactions } from "./interactions.js";
import * as messages from "./messages.js";
import { channelPayload, type Json, memberPayload, userPayload } from "./payloads.js";

export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Json;
  files: { name: string; contentType: string; bytes: Buffer }[];
}

export interface RestAnswer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface RestParts {
  core: EmulatorCore;
  interactions: Interactions;
  buckets: Buckets;
  faults: Faults;
  token: () => string;
  gatewayUrl: () => string;
  identifiesLeft: () => number;
  /** The application's flags: its privileged intents. */
  flags: () => number;
  messageLimit: Limit;
}

export class RestServer {
  readonly #parts: RestParts;
  /** All requests: "POST /channels/1/messages". */
  readonly calls: { method: string; path: string; body: Json }[] = [];

  constructor(parts: RestParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://emulator");
    if (url.pathname.startsWith("/cdn/")) return this.#file(url.pathname, response);
    const path = url.pathname.replace(/^\/api\/v\d+/, "");
    const method = request.method ?? "GET";
    const call: Call = { method, path, query: url.searchParams, ...(await bodyOf(request)) };
    this.calls.push({ method, path, body: call.body });
    if (this.#parts.faults.silent) return;
    const fault = this.#parts.faults.take(method, path);
    if (fault?.kind === "drop_before") {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === "delay") await pause(fault.ms);
    const answer = this.#answerTo(call, request.headers.authorization, fault);
    if (fault?.kind === "drop_after") request.socket.destroy();
    else {
      response.setHeader("date", new Date(Date.now() - this.#parts.faults.clockBehindMs).toUTCString());
      reply(response, answer);
    }
  }

  #answerTo(call: Call, authorization: string | undefined, fault: ReturnType<Faults["take"]>): RestAnswer {
    if (fault?.kind === "answer") return { status: fault.status, body: fault.body };
    if (fault?.kind === "rate_limit") return limited(fault.retryAfterSeconds, fault.global ?? false, {});
    try {
      // An interaction's token is enough.
      const open = call.path.startsWith("/webhooks/") || call.path.startsWith("/interactions/");
      if (!open && authorization !== `Bot ${this.#parts.token()}`) throw errors.unauthorized();
      return this.#withinLimits(call);
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: error.body };
      throw error;
    }
  }

  #withinLimits(call: Call): RestAnswer {
    const channelId = /^\/channels\/(\d+)\/messages(\/\d+)?$/.exec(call.path)?.[1];
    if (!channelId || !["POST", "PATCH"].includes(call.method)) return this.#route(call);
    const { buckets, messageLimit } = this.#parts;
    const verdict = buckets.take(`${call.method}-messages:${channelId}`, messageLimit);
    if (verdict.retryAfterSeconds !== null) return limited(verdict.retryAfterSeconds, false, verdict.headers);
    const answer = this.#route(call);
    return { ...answer, headers: { ...verdict.headers, ...answer.headers } };
  }

  #route(call: Call): RestAnswer {
    const { core, interactions } = this.#parts;
    const [root, id = "", kind, third = "", fourth] = call.path.slice(1).split("/").map(decodeURIComponent);
    const route = `${call.method} /${root}`;
    if (call.path === "/gateway/bot") return { body: this.#gatewayInfo() };
    if (route === "GET /users") return { body: userPayload(core.bot) };
    if (route === "POST /users") return { body: this.#openDm(call) };
    if (route === "GET /applications") return { body: this.#application() };
    if (route === "PUT /applications") return { body: this.#setCommands(call) };
    if (route === "POST /interactions") return interactions.callback(call, id, kind ?? "");
    if (route === "PATCH /webhooks") return interactions.editOriginal(call, kind ?? "");
    if (route === "DELETE /webhooks") return interactions.deleteOriginal(kind ?? "");
    if (route === "GET /guilds" && kind === "members") return { body: memberPayload(core.world, third) };
    if (root !== "channels") throw errors.unknownRoute();
    if (!kind) return { body: channelPayload(messages.readableChannel(core, id), core.bot.id) };
    if (kind === "typing") return messages.typing(core, id);
    if (fourth === "reactions") return messages.react(core, call, id, third);
    if (fourth === "threads") return messages.startThread(core, call, id, third);
    return this.#messages(call, id, third);
  }

  #messages(call: Call, channelId: string, messageId: string): RestAnswer {
    const { core } = this.#parts;
    if (call.method === "GET") return messages.history(core, call, channelId);
    if (call.method === "POST") return messages.createMessage(core, call, channelId);
    if (call.method === "PATCH") return messages.editMessage(core, call, channelId, messageId);
    if (call.method === "DELETE") return messages.deleteMessage(core, channelId, messageId);
    throw errors.unknownRoute();
  }

  #application(): Json {
    const { core, flags } = this.#parts;
    const servers = core.world.guilds.size;
    return { id: core.applicationId, name: "Hermes", flags: flags(), approximate_guild_count: servers };
  }

  #gatewayInfo(): Json {
    const limit = {
      total: 1000,
      remaining: this.#parts.identifiesLeft(),
      reset_after: 60_000,
      max_concurrency: 1,
    };
    return { url: this.#parts.gatewayUrl(), shards: 1, session_start_limit: limit };
  }

  #openDm(call: Call): Json {
    const { core } = this.#parts;
    return channelPayload(core.world.dmWith(String(call.body.recipient_id)), core.bot.id);
  }

  #setCommands(call: Call): unknown {
    this.#parts.core.commands = call.body as unknown as Json[];
    return call.body;
  }

  #file(path: string, response: ServerResponse): void {
    const [, , , channelId = "", fileId] = path.split("/");
    const all = this.#parts.core.world.visible(channelId).flatMap(({ files }) => files);
    const file = all.find(({ id }) => id === fileId);
    if (file) response.writeHead(200, { "content-type": file.contentType }).end(file.bytes);
    else response.writeHead(404).end();
  }
}

function limited(seconds: number, global: boolean, headers: Record<string, string>): RestAnswer {
  const body = { message: "You are being rate limited.", retry_after: seconds, global };
  const scope = { "x-ratelimit-scope": global ? "global" : "user" };
  const flag = global ? { "x-ratelimit-global": "true" } : {};
  return { status: 429, body, headers: { "retry-after": String(seconds), ...scope, ...flag, ...headers } };
}

function reply(response: ServerResponse, { status = 200, body, headers = {} }: RestAnswer): void {
  if (response.destroyed) return;
  if (body === undefined) response.writeHead(status, headers).end();
  else
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Pick<Call, "body" | "files">> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) return formOf(raw, type);
  return { body: raw.length > 0 ? (JSON.parse(String(raw)) as Json) : {}, files: [] };
}

async function formOf(raw: Buffer, type: string): Promise<Pick<Call, "body" | "files">> {
  const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
  const files: Call["files"] = [];
  let body: Json = {};
  for (const [key, value] of form) {
    if (typeof value === "string") {
      if (key === "payload_json") body = JSON.parse(value) as Json;
      continue;
    }
    const bytes = Buffer.from(await value.arrayBuffer());
    files.push({ name: value.name, contentType: value.type || "application/octet-stream", bytes });
  }
  return { body, files };
}
