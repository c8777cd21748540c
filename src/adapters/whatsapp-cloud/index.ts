/** WhatsApp's Cloud API: a signed webhook in, the Graph API out. */
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import { isSameSecret } from "../../secret.js";
import { settlesWithin } from "../../timeout.js";
import type {
  Adapter,
  AdapterEvents,
  CanAsk,
  CanReact,
  CanType,
  Health,
  PartContext,
  ReactionState,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { retry } from "../kit/retry.js";
import { answerWebhook, isHmacOf } from "../kit/webhook-route.js";
import { GraphApi } from "./api.js";
import { Arrivals } from "./arrivals.js";
import { MAX_CHOICES } from "./choices.js";
import { MAX_UPLOAD_BYTES, type Settings, settingsOf, type WhatsAppOptions } from "./config.js";
import { Uplink } from "./connect.js";
import { laterFault } from "./faults.js";
import { PLATFORM } from "./ids.js";
import { type Call, readCall, type Status } from "./normalise.js";
import { QuotedTexts } from "./quoted-texts.js";
import { Receiver } from "./receive.js";
import { LIMIT, partsOf, type WhatsAppPart } from "./render.js";
import { Sender } from "./send.js";

export type { WhatsAppOptions } from "./config.js";

export interface WhatsAppAdapter extends Adapter, CanType, CanReact, CanAsk {
  readonly callbacks: readonly { path: string; handle(request: Request): Promise<Response> }[];
}

export function whatsAppAdapter(options: WhatsAppOptions): WhatsAppAdapter {
  return new WhatsApp(settingsOf(options));
}

interface Session {
  arrivals: Arrivals;
  receiver: Receiver;
  sender: Sender;
  signal: AbortSignal;
  running: Promise<void>;
}

const DISCONNECT_MS = 1000;
const NOT_STORED = "The inbox doesn't accept messages from WhatsApp: Meta delivers them again";
const MAX_BODY_BYTES = 3 * 1024 * 1024;

class WhatsApp implements WhatsAppAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly maxChoices = MAX_CHOICES;
  readonly files?: { maxBytes: number };
  readonly callbacks: WhatsAppAdapter["callbacks"];
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  readonly #texts: QuotedTexts;
  #session: Session | undefined;
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    const { account, media, timing, log, webhookPath } = settings;
    this.#settings = settings;
    this.account = account;
    this.#texts = new QuotedTexts(settings.receivedText);
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
    const uplink = new Uplink({ api, settings, health: this.#health });
    await uplink.open(life.signal).catch((error: unknown) => {
      life.abort();
      throw error;
    });
    const arrivals = await this.#arrivals(events, life.signal);
    if (!arrivals) return;
    const texts = this.#texts;
    const receiver = new Receiver({ api, settings, events, texts, signal: life.signal });
    const sender = new Sender({ api, settings, texts, arrivals });
    const running = uplink.run(life.signal);
    this.#session = { arrivals, receiver, sender, signal: life.signal, running };
  }

  /** Undefined if the uplink has ended meanwhile. */
  async #arrivals(events: AdapterEvents, signal: AbortSignal): Promise<Arrivals | undefined> {
    const { backoff } = this.#settings.timing;
    // Rejects only if the signal aborts.
    return retry(() => Arrivals.load(events), { backoff, signal }).catch(() => undefined);
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
    return this.#sender.sendPart(message, part, context, signal);
  }

  type(target: Target): void {
    const session = this.#open;
    session?.sender.type(target, session.signal);
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    await this.#sender.react(target, state, signal);
  }

  /** WhatsApp can't change a message: the person's choice is visible as their reply to it. */
  async settleQuestion(): Promise<void> {
    if (!this.#session) throw notConnected();
  }

  get #sender(): Sender {
    if (!this.#session) throw notConnected();
    return this.#session.sender;
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
      onRejected: () => this.#health.issue("inbox", NOT_STORED),
      handshake: (url) => this.#handshake(url),
      maxBodyBytes: MAX_BODY_BYTES,
    });
  }

  async #receive({ messages, statuses }: Call, { receiver, arrivals }: Session): Promise<undefined> {
    for (const status of statuses) {
      const { name, id } = status;
      if (name !== undefined && status.status !== "failed") await arrivals.add(name, id);
      this.#judge(status);
    }
    for (const incoming of messages) await receiver.receive(incoming);
    this.#health.issue("inbox", undefined);
  }

  #judge({ status, errorCode }: Status): void {
    if (status === "delivered") this.#health.issue("delivery", undefined);
    if (status !== "failed") return;
    const { text, forOperator } = laterFault(errorCode ?? 0);
    if (forOperator) this.#health.issue("delivery", text);
    else this.#settings.log("warn", text);
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

function notConnected(): SendError {
  return new SendError("never_sent", "Not connected to WhatsApp");
}
