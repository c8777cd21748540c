/** The HTTP server: Web API methods under /api/, file downloads and uploads. */
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Faults } from "./faults.js";
import { APP_SCOPE, type Args, callMethod, type MethodContext } from "./methods.js";
import type { Tiers } from "./tiers.js";
import { ApiError } from "./types.js";

export interface Call {
  method: string;
  args: Args;
}

export interface ServerParts {
  faults: Faults;
  tiers: Tiers;
  context: Omit<MethodContext, "baseUrl">;
  scopes: Set<string>;
  botToken: string;
  appToken: string;
  /** Revoked tokens and the error code for each. */
  revoked: Map<string, string>;
  upgrade: (request: IncomingMessage, socket: import("node:stream").Duplex, head: Buffer) => void;
  changed: () => void;
}

export class ApiServer {
  readonly #answered = new Map<string, number>();
  readonly calls: Call[] = [];
  readonly #parts: ServerParts;
  readonly #server: http.Server;
  #port = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#server = http.createServer((request, response) => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on("upgrade", (request, socket, head) => {
      if (parts.faults.outage) socket.destroy();
      else if (!parts.faults.silent) parts.upgrade(request, socket, head);
    });
  }

  /** Returns the port. */
  async listen(port: number): Promise<number> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Cuts all connections. */
  cutAll(): void {
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#parts.faults.outage) return void request.socket.destroy();
    if (this.#parts.faults.silent) return;
    const path = new URL(request.url ?? "/", this.url).pathname;
    const body = await bodyOf(request);
    if (path.startsWith("/files-pri/")) return this.#file(path, request, response);
    if (path.startsWith("/commands/")) return this.#whisper(path, body.toString(), response);
    if (path.startsWith("/upload/v1/")) return this.#upload(path, request, body, response);
    await this.#api(path.replace(/^\/api\//, ""), body.toString(), request, response);
  }

  async #api(
    method: string,
    body: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const args: Args = Object.fromEntries(new URLSearchParams(body));
    const { faults, tiers, changed } = this.#parts;
    this.calls.push({ method, args });
    changed();
    const fault = faults.take(method);
    if (fault?.kind === "delay") await sleep(fault.ms, undefined, { ref: false });
    if (fault?.kind === "cut_before") return void request.socket.destroy();
    if (fault?.kind === "status") return void response.writeHead(fault.status).end("upstream error");
    if (fault?.kind === "rate_limit") return limited(response, fault.seconds);
    const wait = faults.retryAfter(method) ?? tiers.retryAfter(method, args.channel);
    if (wait !== undefined) return limited(response, wait);
    const answer = this.#answer(method, args, request, fault);
    changed();
    if (fault?.kind === "cut_after") return void request.socket.destroy();
    const forApp = method === "apps.connections.open";
    const scopes = [...this.#parts.scopes].filter((scope) => (scope === APP_SCOPE) === forApp);
    response.setHeader("x-oauth-scopes", scopes.join(","));
    json(response, 200, answer);
  }

  #answer(method: string, args: Args, request: IncomingMessage, fault: Fault | undefined) {
    try {
      if (fault?.kind === "error") throw new ApiError(fault.error, fault.extra);
      this.#authorise(method, request.headers.authorization ?? `Bearer ${args.token ?? ""}`);
      const context = { ...this.#parts.context, baseUrl: this.url };
      return { ok: true, ...callMethod(method, args, this.#parts.scopes, context) };
    } catch (error) {
      if (error instanceof ApiError) return { ok: false, error: error.message, ...error.extra };
      throw error;
    }
  }

  #authorise(method: string, authorization: string): void {
    const token = authorization.replace(/^Bearer\s*/, "");
    if (token === "") throw new ApiError("not_authed");
    const gone = this.#parts.revoked.get(token);
    if (gone) throw new ApiError(gone);
    const { botToken, appToken } = this.#parts;
    if (token !== botToken && token !== appToken) throw new ApiError("invalid_auth");
    if ((token === appToken) !== (method === "apps.connections.open"))
      throw new ApiError("not_allowed_token_type");
  }

  /** Without a valid token, Slack answers with its login page. */
  #file(path: string, request: IncomingMessage, response: ServerResponse): void {
    const file = this.#parts.context.workspace.files.get(path.split("/")[2] ?? "");
    const allowed = request.headers.authorization === `Bearer ${this.#parts.botToken}`;
    if (!allowed || !this.#parts.scopes.has("files:read"))
      return void response.writeHead(200, { "content-type": "text/html" }).end("<!DOCTYPE html><html>login");
    if (!file) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": file.mimetype, "content-length": file.content.length });
    response.end(file.content);
  }

  /** A response URL works five times without a token; only the sender of the command sees the responses. */
  #whisper(path: string, body: string, response: ServerResponse): void {
    const uses = (this.#answered.get(path) ?? 0) + 1;
    this.#answered.set(path, uses);
    if (uses > 5) return void response.writeHead(404).end("used_url");
    const [, , channel = "", user = ""] = path.split("/");
    const { text } = JSON.parse(body) as { text: string };
    this.#parts.context.workspace.whispers.push({ channel, user, text });
    this.#parts.changed();
    response.writeHead(200).end("ok");
  }

  async #upload(
    path: string,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const file = this.#parts.context.workspace.files.get(path.split("/")[3] ?? "");
    if (!file?.pending) return void response.writeHead(404).end();
    file.content = await uploaded(request.headers["content-type"] ?? "", body);
    file.size = file.content.length;
    response.writeHead(200).end(`OK - ${file.size}`);
  }
}

async function uploaded(contentType: string, body: Buffer): Promise<Buffer> {
  if (!contentType.startsWith("multipart/")) return body;
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": contentType },
  }).formData();
  const [part] = [...form.values()];
  return typeof part === "string" || !part ? Buffer.from(part ?? "") : Buffer.from(await part.arrayBuffer());
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}

function limited(response: ServerResponse, seconds: number): void {
  response.setHeader("retry-after", String(seconds));
  json(response, 429, { ok: false, error: "ratelimited" });
}
