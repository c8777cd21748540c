/** The page a browser is redirected to after a login, on a loopback address. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

const PATH = "/callback";
const PAGE = "<!doctype html><title>Hermes</title><p>Done. You can close this window.</p>\n";

export class Callback {
  /** Unique to this login, so that other pages can't answer in its place. */
  readonly state = randomBytes(16).toString("base64url");
  readonly #server: http.Server;
  #visit: URL | undefined;
  #waiting: (visit: URL) => void = () => undefined;

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const address = new URL(request.url ?? "/", this.url);
      const isOurs = request.method === "GET" && address.pathname === PATH && this.isAnswer(address);
      response.writeHead(isOurs ? 200 : 404, { "content-type": "text/html", "cache-control": "no-store" });
      response.end(isOurs ? PAGE : "");
      if (!isOurs) return;
      this.#visit = address;
      this.#waiting(address);
    });
  }

  /** 0 for any free port. */
  static async start(port: number): Promise<Callback> {
    const callback = new Callback();
    callback.#server.listen(port, "127.0.0.1");
    await once(callback.#server, "listening");
    return callback;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${PATH}`;
  }

  isAnswer({ searchParams }: URL): boolean {
    return searchParams.get("state") === this.state;
  }

  /** The address of the next visit. */
  async answer(): Promise<URL> {
    const visit =
      this.#visit ??
      (await new Promise<URL>((resolve) => {
        this.#waiting = resolve;
      }));
    this.#visit = undefined;
    return visit;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
