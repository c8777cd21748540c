/** iMessage over a BlueBubbles server on a Mac: its database and a webhook in, its REST API out. */
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import { settlesWithin, withTimeout } from "../../timeout.js";
import type {
  Adapter,
  AdapterEvents,
  CanDismiss,
  CanLookUp,
  CanReact,
  CanType,
  Health,
  LookedUp,
  PartContext,
  ReactionState,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { BlueBubblesApi } from "./api.js";
import { Chats } from "./chats.js";
import { type BlueBubblesOptions, MAX_UPLOAD_BYTES, type Settings, settingsOf } from "./config.js";
import { Uplink } from "./connect.js";
import { Echoes } from "./echoes.js";
import { PLATFORM } from "./ids.js";
import { Receiver } from "./receive.js";
import { type BlueBubblesPart, LIMIT, partsOf } from "./render.js";
import { Sender } from "./send.js";
import { Signs } from "./signs.js";
import { answerCall, type Event } from "./webhook.js";

export type { BlueBubblesOptions } from "./config.js";

export interface BlueBubblesAdapter extends Adapter, CanType, CanDismiss, CanReact, CanLookUp {
  /** Paths on our HTTP port; none: messages are only fetched. */
  readonly callbacks: readonly { path: string; handle(request: Request): Promise<Response> }[];
}

export function blueBubblesAdapter(options: BlueBubblesOptions): BlueBubblesAdapter {
  return new BlueBubbles(settingsOf(options));
}

interface Session {
  uplink: Uplink;
  receiver: Receiver;
  sender: Sender;
  signs: Signs;
  signal: AbortSignal;
  running: Promise<void>;
}

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 1000;

class BlueBubbles implements BlueBubblesAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly files?: { maxBytes: number };
  readonly callbacks: BlueBubblesAdapter["callbacks"];
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  #session: Session | undefined;
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    const { account, webhookUrl, webhookPath, pollMs, timing, log, media } = settings;
    this.#settings = settings;
    this.account = account;
    if (media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    this.#health = new HealthTracker({ label: "BlueBubbles", staleMs: 2 * pollMs + timing.callMs, log });
    this.callbacks =
      webhookUrl === null ? [] : [{ path: webhookPath, handle: (request) => this.#take(request) }];
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const session = this.#begin(events, life.signal);
    await session.uplink.open().catch((error: unknown) => {
      life.abort();
      throw error;
    });
    if (life.signal.aborted) return;
    this.#session = { ...session, running: session.uplink.run() };
  }

  #begin(events: AdapterEvents, signal: AbortSignal): Omit<Session, "running"> {
    const settings = this.#settings;
    const api = new BlueBubblesApi(settings);
    const chats = new Chats(api);
    const echoes = new Echoes();
    const receiver = new Receiver({ api, settings, events, chats, echoes, signal });
    const uplink = new Uplink({ api, settings, health: this.#health, receiver, signal });
    const hasPrivateApi = () => uplink.hasPrivateApi;
    const sender = new Sender({ api, settings, chats, echoes, hasPrivateApi });
    const signs = new Signs({ api, settings, chats, signal, hasPrivateApi });
    return { uplink, receiver, sender, signs, signal };
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
    part: BlueBubblesPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!this.#session) throw new SendError("never_sent", "Not connected to BlueBubbles");
    return this.#session.sender.sendPart(message, part, context, signal);
  }

  async lookUp(
    message: OutboundMessage,
    part: BlueBubblesPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    return (await this.#session?.sender.lookUp(message, part, context, signal)) ?? "unknown";
  }

  type(target: Target): void {
    this.#open?.signs.type(target);
  }

  dismiss(target: Target): void {
    this.#open?.signs.dismiss(target);
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    await this.#open?.signs.react(target, state, signal);
  }

  get #open(): Session | undefined {
    return this.#session?.signal.aborted === false ? this.#session : undefined;
  }

  #take(request: Request): Promise<Response> {
    const session = this.#open;
    return answerCall(
      request,
      this.#settings.password,
      session && ((event) => this.#receive(event, session)),
    );
  }

  /** What a call says of a new message is not used: the database has it too, in the right order. */
  async #receive({ type, data }: Event, { uplink, receiver }: Session): Promise<void> {
    if (type === "updated-message") await receiver.changed(data);
    if (type !== "new-message") return;
    await withTimeout(uplink.fill(), this.#settings.timing.nudgeMs).catch((error: unknown) => {
      uplink.hurry();
      throw error;
    });
  }
}
