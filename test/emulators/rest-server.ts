/** An HTTP server on this machine that answers like a platform's API, and has faults when asked to. */
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";

export interface RestRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON; an empty object if it is none. */
  json: Record<string, unknown>;
  /** For answers that take long: a poll, a stream. */
  response: ServerResponse;
}

export interface RestAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** "kept open": the handler answers by itself, later. */
export type RestHandler = (
  request: RestRequest,
) => RestAnswer | "kept open" | Promise<RestAnswer | "kept open">;

export type RestFault =
  | ({ kind: "answer" } & RestAnswer)
  /** The connection is cut before or after the request is carried out. */
  | { kind: "drop_before" }
  | { kind: "drop_after" }
  /** Carried out after this time. */
  | { kind: "delay"; ms: number };

interface Armed {
  method: string;
  path: RegExp;
  fault: RestFault;
}

export class RestServer {
  readonly calls: { method: string; path: string; atMs: number }[] = [];
  /** When requests came whose connection was cut instead of an answer. */
  readonly cutAtMs: number[] = [];
  /** Requests get no answer. */
  silent = false;
  readonly #handler: RestHandler;
  readonly #nameOf: (path: string, json: Record<string, unknown>) => string;
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();
  #armed: Armed[] = [];
  #port = 0;

  /** `nameOf`: what stands for a request's path in `calls` and `arm`, where one path has many meanings. */
  constructor(handler: RestHandler, nameOf: (path: string, json: Record<string, unknown>) => string = asIs) {
    this.#handler = handler;
    this.#nameOf = nameOf;
    this.#server = http.createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** For upgrades to WebSockets. */
  get http(): http.Server {
    return this.#server;
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Closes the port; `start` opens the same one again. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.cut();
    await closed;
  }

  get isUp(): boolean {
    return this.#server.listening;
  }

  /** Cuts all open connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The next request like this meets the fault. */
  arm(method: string, path: RegExp, fault: RestFault): void {
    this.#armed.push({ method, path, fault });
  }

  get armed(): number {
    return this.#armed.length;
  }

  clear(): void {
    this.#armed = [];
    this.silent = false;
  }

  count(method: string, path: RegExp): number {
    return this.calls.filter((call) => call.method === method && path.test(call.path)).length;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", this.url);
    const method = incoming.method ?? "GET";
    const atMs = Date.now();
    const body = await buffer(incoming).catch(() => undefined);
    if (!body) return;
    const name = this.#nameOf(pathname, jsonOf(body));
    this.calls.push({ method, path: name, atMs });
    const request = {
      ...{ method, path: pathname, query: searchParams, headers: incoming.headers, body, response },
      json: jsonOf(body),
    };
    const fault = this.#meet(method, name);
    if (this.silent) return;
    if (fault?.kind === "drop_before" || fault?.kind === "drop_after") this.cutAtMs.push(atMs);
    if (fault?.kind === "drop_before") return void response.destroy();
    if (fault?.kind === "answer") return send(response, fault);
    if (fault?.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const answer = await this.#handler(request);
    if (fault?.kind === "drop_after") return void response.destroy();
    if (answer !== "kept open") send(response, answer);
  }

  #meet(method: string, path: string): RestFault | undefined {
    const at = this.#armed.findIndex((one) => one.method === method && one.path.test(path));
    return at === -1 ? undefined : this.#armed.splice(at, 1)[0]!.fault;
  }
}

function asIs(path: string): string {
  return path;
}

export function send(response: ServerResponse, { status, body, headers = {} }: RestAnswer): void {
  if (response.writableEnded || response.destroyed) return;
  if (Buffer.isBuffer(body)) {
    response.writeHead(status, headers).end(body);
    return;
  }
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

function jsonOf(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
