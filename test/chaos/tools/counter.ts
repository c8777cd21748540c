/** A service on loopback that counts the effects of tools. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface Effect {
  tool: string;
  /** The idempotency key of the call. */
  key: string;
  /** The message that the call is made for. */
  token: string;
  call: number;
}

export class Counter {
  readonly effects: Effect[] = [];
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));
  /** Before and after the effect, so that deaths find a call in the middle. */
  readonly #lagMs: () => number;

  private constructor(lagMs: () => number) {
    this.#lagMs = lagMs;
  }

  static async start(lagMs: () => number = () => 0): Promise<Counter> {
    const counter = new Counter(lagMs);
    counter.#server.listen(0, "127.0.0.1");
    await once(counter.#server, "listening");
    return counter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    await pause(this.#lagMs());
    const effect = JSON.parse(body) as Effect;
    this.effects.push(effect);
    await pause(this.#lagMs());
    response.end(`done ${effect.tool}`);
  }
}
