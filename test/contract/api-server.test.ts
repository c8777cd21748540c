import { randomUUID } from "node:crypto";
import http from "node:http";
import type { Hono } from "hono";
import type { Adapter } from "../../src/adapters/adapter.js";
import { PLATFORM } from "../../src/adapters/api-server/ids.js";
import { type ApiServerAdapter, apiServerAdapter } from "../../src/adapters/api-server/index.js";
import type { HttpServer } from "../../src/http/server.js";
import { startHttp } from "../support/http.js";
import { until } from "../support/until.js";
import { adapterContract } from "./adapter.js";
import { LOCAL, LocalStage, never, type Place, type Platform, type Seen, type Stage } from "./stage.js";

const KEYS = { laptop: "key-of-the-laptop", phone: "key-of-the-phone" };

/** Programs with keys, on the line for the answers of one adapter. */
class ApiStage extends LocalStage implements Stage {
  override readonly secrets = Object.values(KEYS);
  readonly #adapter: ApiServerAdapter;
  readonly #server: HttpServer;
  readonly #clients = new Map<string, Client>();
  /** By the request that was answered. */
  readonly #receipts = new Map<string, string>();

  private constructor(adapter: ApiServerAdapter, server: HttpServer) {
    super();
    this.#adapter = adapter;
    this.#server = server;
  }

  static async open(): Promise<ApiStage> {
    const adapter = apiServerAdapter({
      keys: KEYS,
      model: "echo",
      otherModels: [],
      sessionHeaders: [],
      timeoutMs: 60_000,
      ratePerMinute: 0,
      outcome: async () => undefined,
      sessionOf: async () => undefined,
      findSession: async () => undefined,
      keepImage: never,
      clientAddress: () => undefined,
      log: () => undefined,
    });
    const routes = (app: Hono) => adapter.routes(app);
    return new ApiStage(adapter, await startHttp({ host: "127.0.0.1", port: 0, token: null, routes }));
  }

  adapter(): Adapter {
    const adapter = this.#adapter;
    const sendPart: Adapter["sendPart"] = async (message, ...args) => {
      const ids = await adapter.sendPart(message, ...args);
      this.#receipts.set(message.target.replyTo ?? "", ids[0]!);
      return ids;
    };
    return { ...adapter, sendPart };
  }

  place(key: string): Place {
    const known =
      this.#clients.get(key) ?? new Client(this.#server.url, key as keyof typeof KEYS, this.#receipts);
    this.#clients.set(key, known);
    return known;
  }

  get #all(): Client[] {
    return [...this.#clients.values()];
  }

  listeners = () => (this.#adapter.health().state === "ok" ? 1 : 0);
  override acknowledged = () => this.#all.every((client) => client.open === 0);
  override previews = () => this.#all.flatMap((client) => client.previews());
  override repeat = () => {
    for (const client of this.#all) client.copies = 2;
  };
  override babble = () => {
    for (const client of this.#all)
      for (const body of ["no json", "[]", '{"messages": 7}', '{"messages": [{"role": "robot"}]}'])
        void client.ask(body, randomUUID());
  };

  async close(): Promise<void> {
    await this.#adapter.disconnect();
    for (const client of this.#all) client.closed = true;
    await this.#server.close();
  }
}

interface Answering {
  id: string;
  text: string;
  over: boolean;
}

class Client implements Place {
  readonly #url: string;
  readonly #key: keyof typeof KEYS;
  readonly #receipts: ReadonlyMap<string, string>;
  readonly #answers: Answering[] = [];
  #line: Promise<unknown> = Promise.resolve();
  closed = false;
  copies = 1;
  /** Messages that weren't accepted yet. */
  open = 0;

  constructor(url: string, key: keyof typeof KEYS, receipts: ReadonlyMap<string, string>) {
    this.#url = url;
    this.#key = key;
    this.#receipts = receipts;
  }

  get origin() {
    return { chatType: "dm", chatId: `${this.#key}:chat`, userId: this.#key };
  }

  /** In order, and again under the same key until it is accepted. */
  say(text: string): void {
    const body = JSON.stringify({
      model: "hermes",
      stream: true,
      messages: [{ role: "user", content: text }],
    });
    const key = randomUUID();
    this.open += 1;
    for (let copy = 0; copy < this.copies; copy++) {
      this.#line = this.#line.then(async () => {
        await until("it is accepted", async () => this.closed || (await this.ask(body, key)) === 200);
        if (copy === 0) this.open -= 1;
      });
    }
  }

  /** Gives the status as soon as there is one: what is streamed after it comes while others ask. */
  ask(body: string, idempotencyKey: string): Promise<number> {
    const headers = {
      authorization: `Bearer ${KEYS[this.#key]}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
      "x-hermes-session-key": "chat",
    };
    return new Promise((resolve) => {
      const request = http.request(`${this.#url}/v1/chat/completions`, {
        method: "POST",
        headers,
        agent: false,
      });
      request.on("response", (response) => {
        resolve(response.statusCode ?? 0);
        if (response.statusCode === 200) this.#read(response);
        else response.resume();
      });
      request.on("error", () => resolve(0));
      request.end(body);
    });
  }

  seen(): Seen[] {
    const whole = this.#answers.filter(({ over }) => over);
    return whole.map(({ id, text }) => ({ id: this.#receipts.get(id) ?? "", text, replyTo: null }));
  }

  previews(): string[] {
    return this.#answers.filter(({ over }) => !over).map(({ text }) => text);
  }

  edit = never;
  remove = never;

  #read(response: http.IncomingMessage): void {
    const answering: Answering = { id: "", text: "", over: false };
    this.#answers.push(answering);
    let rest = "";
    response.setEncoding("utf8");
    response.on("error", () => {});
    response.on("data", (chunk: string) => {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop()!;
      for (const event of events) this.#take(event.replace(/^data: /, ""), answering);
    });
  }

  #take(data: string, answering: Answering): void {
    if (data === "[DONE]") answering.over = true;
    if (!data.startsWith("{")) return;
    const { id, choices } = JSON.parse(data) as { id: string; choices: { delta: { content?: string } }[] };
    answering.id = id.replace("chatcmpl-", "");
    answering.text += choices[0]?.delta.content ?? "";
  }
}

const apiServer: Platform = {
  name: PLATFORM,
  kinds: ["laptop", "phone"],
  can: ["preview"],
  lacks: {
    ...LOCAL,
    absence: "a client asks again by itself",
    edits: "a request can't be changed",
    deletes: "a request can't be taken back",
    splitting: "an answer has room for all of it",
    quotes: "an answer belongs to its request",
  },
  open: () => ApiStage.open(),
};

adapterContract(apiServer);
