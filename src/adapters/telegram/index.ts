/** Telegram: updates by polling or webhook, answers in HTML, previews as drafts or edits. */
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import { settlesWithin } from "../../timeout.js";
import type {
  Adapter,
  AdapterEvents,
  CanAsk,
  CanReact,
  CanRegisterCommands,
  CanStream,
  CanType,
  ChatPace,
  Health,
  MenuCommand,
  PartContext,
  ReactionState,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { asSignal, loadApi, type TelegramApi } from "./api.js";
import { CallTargets } from "./call-targets.js";
import { MAX_UPLOAD_BYTES, type Settings, settingsOf, type TelegramOptions } from "./config.js";
import { Uplink } from "./connect.js";
import { sendErrorOf } from "./faults.js";
import { menuOf } from "./menu.js";
import { PLATFORM, type Self } from "./normalise.js";
import { RateLimits } from "./rate-limits.js";
import { showReaction } from "./reactions.js";
import { Receiver } from "./receive.js";
import { LIMIT, MAX_CHOICES } from "./render.js";
import { partsOf, Sender, type TelegramPart } from "./send.js";
import { showTyping } from "./typing.js";
import { answerUpdate } from "./webhook.js";

export type { TelegramOptions } from "./config.js";

export interface TelegramAdapter extends Adapter, CanAsk, CanStream, CanType, CanReact, CanRegisterCommands {
  /** Where the HTTP server mounts `handleWebhook`; null: we poll. */
  readonly webhookPath: string | null;
  handleWebhook(request: Request): Promise<Response>;
}

const NOT_STORED = "The inbox doesn't accept messages from Telegram: Telegram delivers them again";

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 2000;
/** Telegram's clients split long texts at 4096 and send the pieces one after the other; albums come file by file. */
const BURST = { afterLongMs: 1000, longChars: 4000, afterAlbumMs: 1000 };

export function telegramAdapter(options: TelegramOptions): TelegramAdapter {
  return new Telegram(settingsOf(options));
}

interface Session {
  api: TelegramApi;
  sender: Sender;
  targets: CallTargets;
  receiver: Receiver;
  stop: AbortSignal;
  running: Promise<void>;
}

class Telegram implements TelegramAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly burst = BURST;
  readonly maxChoices = MAX_CHOICES;
  readonly files?: { maxBytes: number };
  readonly webhookPath: string | null;
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  readonly #limits = { limits: new RateLimits(), signLimits: new RateLimits() };
  /** Undefined until getMe has succeeded: mentions can't be recognised before. */
  #self: Self | undefined;
  #session: Session | undefined;
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    const { account, webhook, media, timing, log } = settings;
    this.#settings = settings;
    this.account = account;
    this.webhookPath = webhook?.path ?? null;
    if (media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    const staleMs = 2000 * timing.pollSeconds + timing.callMs;
    this.#health = new HealthTracker({ label: "Telegram", staleMs, log });
  }

  /** Telegram limits groups, all topics together. */
  pace({ chatType }: Target): ChatPace {
    const { groupMessagesPerMinute } = this.#settings;
    return chatType === "dm" || groupMessagesPerMinute === 0 ? {} : { perMinute: groupMessagesPerMinute };
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    const parts = await this.#build(events, life.signal);
    const uplink = new Uplink({
      api: parts.api,
      settings: this.#settings,
      health: this.#health,
      onSelf: (self) => {
        this.#self = self;
      },
      prepare: (update) => parts.receiver.prepare(update),
    });
    const isOpen = await uplink.open(life.signal).catch((error: unknown) => {
      life.abort();
      throw error;
    });
    if (life.signal.aborted) return;
    this.#session = { ...parts, running: uplink.run(isOpen, life.signal) };
  }

  async #build(events: AdapterEvents, stop: AbortSignal): Promise<Omit<Session, "running">> {
    const settings = this.#settings;
    const api = await loadApi(settings);
    const targets = new CallTargets({
      ...this.#limits,
      chatMoved: (from, to) => events.chatMoved(from, to),
      log: (message, fields) => settings.log("warn", message, fields),
    });
    const receiver = new Receiver({
      api,
      settings,
      events,
      self: () => this.#self!,
      moved: (from, to) => targets.moved(from, to),
      signal: stop,
    });
    return { api, targets, receiver, sender: new Sender(api, settings, targets), stop };
  }

  /** Stops receiving; answers that are already finished are still sent. */
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
    part: TelegramPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    return this.#connected().sender.sendPart(message, part, context, signal);
  }

  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    return this.#connected().sender.show(target, messageId, text, signal, posting);
  }

  async abandon(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#connected().sender.abandon(target, messageId, text, signal);
  }

  async settleQuestion(
    target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#connected().sender.settleQuestion(target, messageIds, text, signal);
  }

  type(target: Target): void {
    if (this.#session) showTyping(this.#session.api, this.#session.targets, target);
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    await showReaction(this.#connected(), target, state, signal);
  }

  async registerCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
    try {
      await this.#connected().api.call.setMyCommands(menuOf(commands), {}, asSignal(signal));
    } catch (error) {
      throw sendErrorOf(error, { repeatable: true, scope: "account" });
    }
  }

  async handleWebhook(request: Request): Promise<Response> {
    const { webhook } = this.#settings;
    if (!webhook) return new Response("This bot polls", { status: 404 });
    const session = this.#self && this.#session?.stop.aborted === false ? this.#session : undefined;
    const answer = await answerUpdate(request, {
      secret: webhook.secret,
      receive: session && ((update) => session.receiver.receive(update)),
      onRejected: () => this.#health.issue("inbox", NOT_STORED),
    });
    if (answer.ok && session?.stop.aborted === false) {
      this.#health.up();
      this.#health.issue("inbox", undefined);
    }
    return answer;
  }

  #connected(): Session {
    if (this.#session) return this.#session;
    throw new SendError("never_sent", "Not connected to Telegram");
  }
}
