/** What emulated services over HTTP share: a server that can be cut off, and faults that wait for the next request. */
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface ServiceRequest {
  method: string;
  url: URL;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface ServiceReply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface ServiceCall {
  method: string;
  path: string;
  /** When all of it was there. */
  atMs: number;
  /** Undefined: it got no answer. */
  status: number | undefined;
}

/** `cut_after` and `delay`: the request is executed. The others: it isn't. */
export type ServiceFault =
  | { kind: "cut_before" | "cut_after" }
  | { kind: "reply"; reply: ServiceReply }
  | { kind: "delay"; ms: number };

interface Scripted {
  matches(request: ServiceRequest): boolean;
  fault: ServiceFault;
}

export class ServiceFaults {
  /** Every connection is cut before its request is read. */
  outage = false;
  /** Requests are never answered. */
  silent = false;
  readonly #scripted: Scripted[] = [];

  next(matches: Scripted["matches"], fault: ServiceFault): void {
    this.#scripted.push({ matches, fault });
  }

  /** Those that no request has met. */
  get armed(): number {
    return this.#scripted.length;
  }

  clear(): void {
    this.outage = false;
    this.silent = false;
    this.#scripted.length = 0;
  }

  take(request: ServiceRequest): ServiceFault | undefined {
    const at = this.#scripted.findIndex(({ matches }) => matches(request));
    return at < 0 ? undefined : this.#scripted.splice(at, 1)[0]!.fault;
  }
}

export abstract class WebService {
  readonly faults = new ServiceFaults();
  readonly calls: ServiceCall[] = [];
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));
  #port = 0;
  #pending = 0;

  protected abstract respond(request: ServiceRequest): ServiceReply;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Requests without an answer so far. */
  get pending(): number {
    return this.#pending;
  }

  async start(): Promise<this> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Stops listening, as if the machine were gone. `start` brings it back at the same address. */
  async goDown(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.goDown();
  }

  /** Cuts every open connection; new ones are accepted. */
  disconnect(): void {
    this.#server.closeAllConnections();
  }

  get isUp(): boolean {
    return this.#server.listening && !this.faults.outage;
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.faults.outage) return void incoming.socket.destroy();
    this.#pending += 1;
    response.once("close", () => {
      this.#pending -= 1;
    });
    const url = new URL(incoming.url ?? "/", "http://emulator");
    const method = incoming.method ?? "GET";
    const call: ServiceCall = { method, path: url.pathname, atMs: Date.now(), status: undefined };
    this.calls.push(call);
    try {
      const request = { method, url, headers: incoming.headers, body: await bodyOf(incoming) };
      call.atMs = Date.now();
      const fault = this.faults.take(request);
      if (fault?.kind === "cut_before") return void response.socket?.destroy();
      const reply = fault?.kind === "reply" ? fault.reply : this.respond(request);
      if (fault?.kind === "delay") await sleep(fault.ms);
      if (fault?.kind === "cut_after") return void response.socket?.destroy();
      if (this.faults.silent || response.destroyed) return;
      call.status = reply.status;
      write(response, reply);
    } catch {
      incoming.socket.destroy();
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function write(response: ServerResponse, { status, body, headers = {} }: ServiceReply): void {
  const raw = Buffer.isBuffer(body) || typeof body === "string";
  response.writeHead(status, { ...(raw ? {} : { "content-type": "application/json" }), ...headers });
  response.end(raw ? body : JSON.stringify(body ?? {}));
}
