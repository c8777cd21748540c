import { createHmac } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface CallbackPost {
  id: string;
  headers: http.IncomingHttpHeaders;
  body: Record<string, unknown>;
  signed: boolean;
}

/** A receiver of callbacks: checks signatures and recognises repeated deliveries by their id. */
export class CallbackServer {
  readonly posts: CallbackPost[] = [];
  /** What the next calls are answered with; 204 when it is empty. */
  readonly statuses: number[] = [];
  readonly #secret: string;
  readonly #server = http.createServer((request, response) => void this.#take(request, response));

  constructor(secret: string) {
    this.#secret = secret;
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    onTestFinished(() => {
      this.#server.close();
      this.#server.closeAllConnections();
    });
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/answers`;
  }

  /** Each delivery once, however often it came. */
  get deliveries(): CallbackPost[] {
    return [...new Map(this.posts.map((post) => [post.id, post])).values()];
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    const status = this.statuses.shift() ?? 204;
    if (status === 204) {
      const id = String(request.headers["x-hermes-delivery"]);
      const { headers } = request;
      this.posts.push({ id, headers, body: JSON.parse(text), signed: this.#isSigned(headers, text) });
    }
    response.writeHead(status).end();
  }

  #isSigned(headers: http.IncomingHttpHeaders, body: string): boolean {
    const [, at, given] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers["x-hermes-signature"])) ?? [];
    return given === createHmac("sha256", this.#secret).update(`${at}.${body}`).digest("hex");
  }
}
