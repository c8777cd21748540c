/** WhatsApp's Cloud API: a signed webhook in, the Graph API out. */
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import { isSameSecret } from "../../secret.js";
import { settlesWithin } from "../../timeout.js";
import type { Adapter, AdapterEvents, CanType, Health, PartContext } from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { answerWebhook, isHmacOf } from "../kit/webhook-route.js";
import { GraphApi } from "./api.js";
import { MAX_UPLOAD_BYTES, type Settings, settingsOf, type WhatsAppOptions } from "./config.js";
import { Connection } from "./connect.js";
import { laterFault } from "./faults.js";
import { isMessageId, PLATFORM } from "./ids.js";
import { type Call, readCall } from "./normalise.js";
import { Receiver } from "./receive.js";
import { LIMIT, partsOf, type WhatsAppPart } from "./render.js";
import { Sender } from "./send.js";

export type { WhatsAppOptions } from "./config.js";

export interface WhatsAppAdapter extends Adapter, CanType {
  readonly callbacks: readonly { path: string; handle(request: Request): Promise<Response> }[];
}

export function whatsAppAdapter(options: WhatsAppOptions): WhatsAppAdapter {
  return new WhatsApp(settingsOf(options));
}

interface Session {
  api: GraphApi;
  receiver: Receiver;
  sender: Sender;
  signal: AbortSignal;
  running: Promise<void>;
}

const DISCONNECT_MS = 1000;
const MAX_TEXTS = 2000;
const MAX_BODY_BYTES = 3 * 1024 * 1024;

class WhatsApp implements WhatsAppAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly files?: { maxBytes: number };
  readonly callbacks: WhatsAppAdapter["callbacks"];
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  readonly #texts = new BoundedMap<string, string>(MAX_TEXTS);
  #session: Session | undefined;
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    const { account, media, timing, log, webhookPath } = settings;
    this.#settings = settings;
    this.account = account;
    if (media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    this.#health = new HealthTracker({ label: "WhatsApp", staleMs: 2 * timing.checkMs + timing.callMs, log });
    this.callbacks = [{ path: webhookPath, handle: (request) => this.#take(request) }];
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const settings = this.#settings;
    const api = new GraphApi(settings);
    const connection = new Connection({ api, settings, health: this.#health });
    await connection.open(life.signal).catch((error: unknown) => {
      life.abort();
      throw error;
    });
    if (life.signal.aborted) return;
    const receiver = new Receiver({ api, settings, events, texts: this.#texts, signal: life.signal });
    const sender = new Sender(api, settings, this.#texts);
    this.#session = { api, receiver, sender, signal: life.signal, running: connection.run(life.signal) };
  }

  async disconnect(): Promise<void> {
    this.#health.closed();
    this.#life?.abort();
    if (this.#session) await settlesWithin(this.#session.running, DISCONNECT_MS);
  }

  health(): Health {
    return this.#health.read();
  }

  readonly render = partsOf;

  async sendPart(
    message: OutboundMessage,
    part: WhatsAppPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!this.#session) throw new SendError("never_sent", "Not connected to WhatsApp");
    return this.#session.sender.sendPart(message, part, context, signal);
  }

  type({ replyTo }: Target): void {
    const session = this.#open;
    if (!session || !isMessageId(replyTo)) return;
    session.api.type(replyTo, session.signal).catch(() => undefined);
  }

  get #open(): Session | undefined {
    return this.#session?.signal.aborted === false ? this.#session : undefined;
  }

  #take(request: Request): Promise<Response> {
    const session = this.#open;
    const { appSecret, phoneNumberId } = this.#settings;
    return answerWebhook<Call>(request, {
      auth: {
        signature: ({ headers, body }) => {
          const [, given] = /^sha256=([0-9a-f]{64})$/.exec(headers.get("x-hub-signature-256") ?? "") ?? [];
          return isHmacOf({ secret: appSecret, signed: [body], given });
        },
      },
      parse: ({ body }) => readCall(JSON.parse(body.toString("utf8")), phoneNumberId),
      receive: session && ((call) => this.#receive(call, session)),
      handshake: (url) => this.#handshake(url),
      maxBodyBytes: MAX_BODY_BYTES,
    });
  }

  async #receive({ messages, statuses }: Call, { receiver, sender }: Session): Promise<undefined> {
    for (const status of statuses) {
      sender.noticed(status);
      if (status.status === "failed") this.#settings.log("warn", laterFault(status.errorCode ?? 0));
    }
    for (const incoming of messages) await receiver.receive(incoming);
  }

  /** Meta asks once whether the address is ours. */
  #handshake({ searchParams: query }: URL): Response {
    const { verifyToken } = this.#settings;
    const isOurs =
      verifyToken !== null &&
      query.get("hub.mode") === "subscribe" &&
      isSameSecret(query.get("hub.verify_token") ?? "", verifyToken);
    const headers = { "content-type": "text/plain" };
    if (!isOurs) return new Response("Wrong token", { status: 403, headers });
    return new Response((query.get("hub.challenge") ?? "").slice(0, 200), { headers });
  }
}
