import { randomUUID } from "node:crypto";
import type { Hono } from "hono";
import type { Adapter } from "../../src/adapters/adapter.js";
import { chatIdOf, newSecret } from "../../src/adapters/web/ids.js";
import { type WebAdapter, webAdapter } from "../../src/adapters/web/index.js";
import type { HttpServer } from "../../src/http/server.js";
import { EventReader } from "../http/support/events.js";
import { ask } from "../http/support/request.js";
import { startHttp } from "../support/http.js";
import { until } from "../support/until.js";
import { adapterContract } from "./adapter.js";
import { LOCAL, LocalStage, never, type Place, type Platform, type Seen, type Stage } from "./stage.js";

/** Browsers at the page that one adapter serves. */
class WebStage extends LocalStage implements Stage {
  readonly #adapter: WebAdapter;
  readonly #server: HttpServer;
  readonly #browsers = new Map<string, Browser>();

  private constructor(adapter: WebAdapter, server: HttpServer) {
    super();
    this.#adapter = adapter;
    this.#server = server;
  }

  static async open(): Promise<WebStage> {
    const adapter = webAdapter({
      clientOf: () => "test",
      chatLog: async () => [],
      session: async () => null,
      sessions: async () => [],
      commands: [],
    });
    const routes = (app: Hono) => adapter.routes(app);
    return new WebStage(adapter, await startHttp({ host: "127.0.0.1", port: 0, token: null, routes }));
  }

  adapter = (): Adapter => this.#adapter;

  place(kind: string): Place {
    const known = this.#browsers.get(kind) ?? new Browser(this.#server.url);
    this.#browsers.set(kind, known);
    return known;
  }

  get #all(): Browser[] {
    return [...this.#browsers.values()];
  }

  listeners = () => this.#all.filter((browser) => browser.isListening).length;
  override acknowledged = () => this.#all.every((browser) => browser.open === 0);
  override typing = () => this.#count("typing").length;
  override previews = () => this.#count("preview").map(({ data }) => String(data.text));

  pressesAcknowledged = () => this.#all.reduce((sum, browser) => sum + browser.accepted, 0);

  override repeat = () => {
    for (const browser of this.#all) browser.copies = 2;
  };

  override babble = () => {
    for (const browser of this.#all)
      for (const body of ["no json", "{}", '{"id": 7}', `{"id": "${randomUUID()}", "text": 1}`])
        for (const what of ["messages", "presses"]) void browser.post(body, what);
  };

  async close(): Promise<void> {
    await this.#adapter.disconnect();
    await Promise.all(this.#all.map((browser) => browser.close()));
    await this.#server.close();
  }

  #count(event: string) {
    return this.#all.flatMap((browser) => browser.events(event));
  }
}

interface Shown {
  id: string;
  text: string;
  buttons?: { label: string; data: string }[];
}

class Browser implements Place {
  readonly #url: string;
  readonly #secret = newSecret();
  readonly origin = { chatType: "dm", chatId: chatIdOf(this.#secret), userId: chatIdOf(this.#secret) };
  #stream: EventReader | undefined;
  #line: Promise<unknown> = Promise.resolve();
  #closed = false;
  copies = 1;
  /** Messages that weren't accepted yet. */
  open = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** In order, and again until it is accepted, as the page does it. */
  say(text: string): void {
    const body = JSON.stringify({ id: randomUUID(), text });
    this.open += 1;
    for (let copy = 0; copy < this.copies; copy++) {
      this.#line = this.#line.then(async () => {
        await this.#listen();
        await until("it is accepted", async () => this.#closed || (await this.post(body)) === 202);
        if (copy === 0) this.open -= 1;
      });
    }
  }

  /** Presses that were accepted. */
  accepted = 0;

  press(message: Seen, label: string): string {
    const { buttons = [] } = this.#state(message.id);
    const { data: button } = buttons.find((one) => one.label === label)!;
    const body = JSON.stringify({ id: randomUUID(), button, text: label });
    for (let copy = 0; copy < this.copies; copy++)
      this.#line = this.#line.then(async () => {
        if ((await this.post(body, "presses")) === 202 && copy === 0) this.accepted += 1;
      });
    return this.origin.userId;
  }

  /** One attempt; gives the status. */
  async post(body: string, what = "messages"): Promise<number> {
    const headers = { cookie: this.#cookie, origin: this.#url, "content-type": "application/json" };
    const asked = ask(`${this.#url}/api/chat/${what}`, { method: "POST", headers, body });
    return asked.then(
      ({ status }) => status,
      () => 0,
    );
  }

  seen(): Seen[] {
    return this.events("message").map(({ data }) => {
      const { id, text, buttons = [] } = this.#state((data as unknown as Shown).id);
      return { id, text, replyTo: null, buttons: buttons.map(({ label }) => label) };
    });
  }

  /** A message as it looks now. */
  #state(id: string): Shown {
    const about = (name: string) =>
      this.events(name)
        .map(({ data }) => data as unknown as Shown)
        .findLast((one) => one.id === id);
    return about("decided") ?? about("message")!;
  }

  events(name: string) {
    return this.#stream?.events.filter(({ event }) => event === name) ?? [];
  }

  edit = never;
  remove = never;

  get isListening(): boolean {
    return this.#stream !== undefined && !this.#stream.isOver;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#line;
    this.#stream?.close();
  }

  get #cookie(): string {
    return `hermes_web=${this.#secret}`;
  }

  async #listen(): Promise<void> {
    if (this.isListening || this.#closed) return;
    this.#stream = await EventReader.open(`${this.#url}/api/chat/events`, { cookie: this.#cookie });
  }
}

const web: Platform = {
  name: "web",
  kinds: ["browser", "another browser"],
  can: ["preview", "type", "ask"],
  lacks: {
    ...LOCAL,
    absence: "a browser sends again by itself",
    edits: "the page has none",
    deletes: "the page has none",
    "other people": "a chat has one browser",
    splitting: "a page has room for any answer",
    quotes: "the page has none",
  },
  open: () => WebStage.open(),
};

adapterContract(web);
