import { createHmac, randomUUID } from "node:crypto";
import type { Adapter } from "../../src/adapters/adapter.js";
import { type WebhookAdapter, webhookAdapter } from "../../src/adapters/webhook/index.js";
import { PLATFORM } from "../../src/adapters/webhook/normalise.js";
import type { HttpServer } from "../../src/http/server.js";
import { ask } from "../http/support/request.js";
import { CallbackServer } from "../support/callback-server.js";
import { startHttp } from "../support/http.js";
import { until } from "../support/until.js";
import { adapterContract } from "./adapter.js";
import { LOCAL, LocalStage, never, type Place, type Platform, type Stage } from "./stage.js";

const SECRET = "what the caller knows";
const CALLBACK_SECRET = "what the called knows";

/** A program that calls a webhook and is called back. */
class WebhookStage extends LocalStage implements Stage {
  override readonly secrets = [SECRET, CALLBACK_SECRET];
  readonly #adapter: WebhookAdapter;
  readonly #server: HttpServer;
  readonly #called: CallbackServer;
  #line: Promise<unknown> = Promise.resolve();
  #closed = false;
  #copies = 1;
  #open = 0;

  private constructor(adapter: WebhookAdapter, server: HttpServer, called: CallbackServer) {
    super();
    this.#adapter = adapter;
    this.#server = server;
    this.#called = called;
  }

  static async open(): Promise<WebhookStage> {
    const called = await new CallbackServer(CALLBACK_SECRET).start();
    const adapter = webhookAdapter({
      hooks: [
        {
          name: "caller",
          style: "github",
          proof: { style: "github", secret: SECRET, header: null, toleranceSeconds: 300 },
          idHeader: null,
          uniqueBody: false,
          toleranceSeconds: 300,
          events: [],
          prompt: "{{text}}",
          deliver: null,
          callback: { url: called.url, secret: CALLBACK_SECRET, allowPrivate: false },
        },
      ],
      findTarget: async () => undefined,
      outcome: async () => undefined,
      log: () => undefined,
    });
    const { callbacks } = adapter;
    const options = { host: "127.0.0.1", port: 0, token: null, routes: () => undefined, callbacks };
    return new WebhookStage(adapter, await startHttp(options), called);
  }

  readonly #place: Place = {
    origin: { chatType: "webhook", userId: "webhook:caller" },
    say: (text) => this.#say(text),
    seen: () =>
      this.#called.deliveries.map(({ id, body }) => ({ id, text: String(body.text), replyTo: null })),
    edit: never,
    remove: never,
  };

  adapter = (): Adapter => this.#adapter;
  place = () => this.#place;
  listeners = () => (this.#adapter.health().state === "ok" ? 1 : 0);
  override acknowledged = () => this.#open === 0;
  override repeat = () => {
    this.#copies = 2;
  };
  override babble = () => {
    for (const body of ["no json", "", "7"]) void this.#call(body, randomUUID());
  };

  /** In order, and again until it is accepted, as GitHub does it. */
  #say(text: string): void {
    const delivery = randomUUID();
    this.#open += 1;
    for (let copy = 0; copy < this.#copies; copy++) {
      this.#line = this.#line.then(async () => {
        const body = JSON.stringify({ text });
        await until("it is accepted", async () => this.#closed || (await this.#call(body, delivery)) === 202);
        if (copy === 0) this.#open -= 1;
      });
    }
  }

  async #call(body: string, delivery: string): Promise<number> {
    const signature = createHmac("sha256", SECRET).update(body).digest("hex");
    const headers = { "x-hub-signature-256": `sha256=${signature}`, "x-github-delivery": delivery };
    const asked = ask(`${this.#server.url}/webhooks/caller`, { method: "POST", body, headers });
    return asked.then(
      ({ status }) => status,
      () => 0,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#adapter.disconnect();
    await this.#server.close();
  }
}

const webhook: Platform = {
  name: PLATFORM,
  kinds: ["caller"],
  can: [],
  lacks: {
    ...LOCAL,
    absence: "a caller calls again by itself",
    edits: "a call can't be changed",
    deletes: "a call can't be taken back",
    splitting: "a callback has room for any answer",
    quotes: "a callback names its delivery",
  },
  open: () => WebhookStage.open(),
};

adapterContract(webhook);
