/** Discord: gateway events in, REST out. */
import { type HermesError, SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import type {
  Adapter,
  AdapterEvents,
  CanAsk,
  CanDismiss,
  CanFindPreview,
  CanLookUp,
  CanReact,
  CanRegisterCommands,
  CanStream,
  CanType,
  Health,
  LookedUp,
  MenuCommand,
  PartContext,
  ReactionState,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { MAX_CHOICES } from "./components.js";
import { type DiscordOptions, MAX_UPLOAD_BYTES, type Settings, settingsOf } from "./config.js";
import { buildUplink, closeUplink, type Uplink } from "./connect.js";
import { BAD_TOKEN, connectError, sendErrorOf } from "./faults.js";
import { accountOf } from "./ids.js";
import { menuOf } from "./menu.js";
import { PLATFORM } from "./normalise.js";
import { type DiscordPart, partsOf } from "./outgoing.js";
import { showReaction } from "./reactions.js";
import { LIMIT } from "./render.js";

export type { DiscordOptions } from "./config.js";

export interface DiscordAdapter
  extends Adapter,
    CanAsk,
    CanStream,
    CanFindPreview,
    CanLookUp,
    CanRegisterCommands,
    CanDismiss,
    CanReact,
    CanType {}

/** Discord's clients split long texts at 2000. */
const BURST = { afterLongMs: 1500, longChars: 1900 };
/** Heartbeats come every 41 seconds. */
const STALE_MS = 180_000;

export function discordAdapter(options: DiscordOptions): DiscordAdapter {
  return new Discord(options);
}

class Discord implements DiscordAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly burst = BURST;
  readonly maxChoices = MAX_CHOICES;
  readonly files?: { maxBytes: number };
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  #uplink: Uplink | undefined;
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;
  /** Why there will be no further attempts: only the operator can fix it. */
  #fatal: string | undefined;

  constructor(options: DiscordOptions) {
    this.#settings = settingsOf(options);
    if (this.#settings.media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    this.account = options.account ?? accountOf(this.#settings.token) ?? PLATFORM;
    const { log } = this.#settings;
    this.#health = new HealthTracker({ label: "Discord", staleMs: STALE_MS, log });
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    this.#fatal = undefined;
    const uplink = await this.#build(events);
    if (life.signal.aborted) return closeUplink(uplink);
    this.#uplink = uplink;
    await uplink.socket.start(uplink.rest);
    if (this.#fatal === undefined) return;
    const line: string = this.#fatal;
    await this.disconnect();
    throw connectError(line);
  }

  #build(events: AdapterEvents): Promise<Uplink> {
    const socketEvents = {
      up: () => this.#health.up(),
      down: (detail: string) => this.#down(detail),
      alive: (isComplete: boolean) => this.#alive(isComplete),
      fatal: (line: string) => this.#end(line),
    };
    return buildUplink(this.#settings, this.account, events, socketEvents).catch((error: HermesError) => {
      if (error.message === BAD_TOKEN) this.#end(BAD_TOKEN);
      throw error;
    });
  }

  /** Never rejects. */
  async disconnect(): Promise<void> {
    this.#life?.abort();
    const uplink = this.#uplink;
    this.#uplink = undefined;
    if (!uplink) return;
    await closeUplink(uplink);
    if (this.#fatal === undefined) this.#health.closed();
  }

  // ── health ────────────────────────────────────────────────────────────────────────────────────────────────────────

  health(): Health {
    return this.#health.read();
  }

  #alive(isComplete: boolean): void {
    this.#health.up();
    if (!isComplete) return;
    this.#uplink?.receiver.advance().catch((error: unknown) => {
      this.#settings.log("warn", "Discord's checkpoint was not saved", { err: error });
    });
  }

  #down(detail: string): void {
    if (this.#fatal === undefined) this.#health.trouble("degraded", detail);
  }

  #end(line: string): void {
    this.#fatal = line;
    this.#health.trouble("down", line);
  }

  // ── sending ───────────────────────────────────────────────────────────────────────────────────────────────────────

  readonly render = partsOf;

  async sendPart(
    message: OutboundMessage,
    part: DiscordPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    try {
      return await this.#connected().sender.sendPart(message, part, context, signal);
    } catch (error) {
      if (error instanceof SendError && error.message === BAD_TOKEN) this.#end(BAD_TOKEN);
      throw error;
    }
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

  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    return this.#connected().sender.findPreview(target, signal);
  }

  async settleQuestion(
    target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#connected().sender.settleQuestion(target, messageIds, text, signal);
  }

  dismiss(target: Target): void {
    this.#uplink?.sender.dismiss(target);
  }

  type(target: Target): void {
    this.#uplink?.sender.type(target);
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    await showReaction(this.#connected().rest, target, state, signal);
  }

  async lookUp(
    message: OutboundMessage,
    part: DiscordPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    return this.#uplink?.sender.lookUp(message, part, context, signal) ?? "unknown";
  }

  async registerCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
    const { rest } = this.#connected();
    try {
      const { id } = (await rest.get("/applications/@me", { signal })) as { id: string };
      await rest.put(`/applications/${id}/commands`, { body: menuOf(commands), signal });
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  #connected(): Uplink {
    if (this.#uplink) return this.#uplink;
    throw new SendError("never_sent", this.#fatal ?? "Not connected to Discord", { scope: "account" });
  }
}
