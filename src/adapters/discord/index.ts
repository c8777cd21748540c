/** Discord: gateway events in, REST out. Connects the parts; none of them knows the others. */
import type { REST } from "discord.js";
import { nowSeconds } from "../../clock.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage, Receipt, Target } from "../../message.js";
import type {
  Adapter,
  AdapterEvents,
  CanDismiss,
  CanFindPreview,
  CanLookUp,
  CanRegisterCommands,
  CanStream,
  CanType,
  Health,
  LookedUp,
  MenuCommand,
} from "../adapter.js";
import { type DiscordOptions, MAX_UPLOAD_BYTES, type Settings, settingsOf } from "./config.js";
import { BAD_TOKEN, connectError, isBadToken, sendErrorOf } from "./faults.js";
import { accountOf } from "./ids.js";
import { Inbound } from "./inbound.js";
import { Interactions } from "./interactions.js";
import { KnownDms } from "./known-dms.js";
import { Link } from "./link.js";
import { Media } from "./media.js";
import { menuOf } from "./menu.js";
import { PLATFORM } from "./normalise.js";
import { LIMIT } from "./render.js";
import { closeRest, openRest } from "./rest.js";
import { Seen } from "./seen.js";
import { Sender } from "./send.js";
import { Sessions } from "./sessions.js";

export type { DiscordOptions } from "./config.js";

export interface DiscordAdapter
  extends Adapter,
    CanStream,
    CanFindPreview,
    CanLookUp,
    CanRegisterCommands,
    CanDismiss,
    CanType {}

/** Long messages come in pieces: the client cuts pasted text at its own limit. */
const BURST = { afterLongMs: 1500, longChars: 1900 };
const STOP_WITHIN_MS = 2000;

export function discordAdapter(options: DiscordOptions): DiscordAdapter {
  return new Discord(options);
}

/** What there is while connected. */
interface Connection {
  rest: REST;
  sender: Sender;
  inbound: Inbound;
  link: Link;
  sessions: Sessions;
  stop: AbortController;
}

class Discord implements DiscordAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly burst = BURST;
  readonly files?: { maxBytes: number };
  readonly #settings: Settings;
  #connection: Connection | undefined;
  /** From a connect, finished or not, to its end. */
  #life: AbortController | undefined;
  #health: Health = { state: "down", lastProofAt: null, detail: "Not connected to Discord" };
  /** Nothing but a person can help. */
  #over: string | undefined;

  constructor(options: DiscordOptions) {
    this.#settings = settingsOf(options);
    if (this.#settings.media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    this.account = options.account ?? accountOf(this.#settings.token) ?? PLATFORM;
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    this.#over = undefined;
    const connection = await this.#build(events);
    if (life.signal.aborted) return closeRest(connection.rest);
    this.#connection = connection;
    await connection.link.start(connection.rest);
    if (this.#over !== undefined) {
      const line: string = this.#over;
      await this.disconnect();
      this.#health = { ...this.#health, state: "down", detail: line };
      throw connectError(line);
    }
  }

  async #build(events: AdapterEvents): Promise<Connection> {
    const { media, apiUrl, timing } = this.#settings;
    const settings = this.#settings;
    const rest = await openRest(settings);
    const stop = new AbortController();
    const botId = await this.#botId(rest);
    const files = media ? new Media(media, apiUrl, timing.downloadTimeoutMs) : null;
    const failed = (error: unknown) => settings.log("warn", "Discord's place was not saved", { err: error });
    const sessions = new Sessions(events, { saveMs: timing.saveSessionMs, failed });
    const interactions = new Interactions(rest, events);
    const dms = new KnownDms(events);
    const seen = new Seen(events);
    rest.on("response", (_request, { headers }) => seen.heardTime(headers.get("date")));
    await Promise.all([interactions.load(), dms.load(), seen.load()]);
    const common = { rest, settings, botId, interactions };
    const sender = new Sender(common);
    const { account } = this;
    const inbound = new Inbound({
      ...common,
      account,
      media: files,
      events,
      sessions,
      dms,
      seen,
      signal: stop.signal,
    });
    const link = new Link(settings, sessions, {
      dispatch: (packet, shardId) => inbound.dispatch(packet, shardId),
      up: () => this.#up(),
      down: (detail) => this.#down(detail),
      alive: (whole) => this.#alive(whole, inbound),
      over: (line) => this.#end(line),
    });
    return { rest, sender, inbound, link, sessions, stop };
  }

  async #botId(rest: REST): Promise<string> {
    const known = accountOf(this.#settings.token);
    if (known !== undefined) return known;
    try {
      return ((await rest.get("/users/@me")) as { id: string }).id;
    } catch (error) {
      if (!isBadToken(error)) throw error;
      this.#end(BAD_TOKEN);
      throw connectError(BAD_TOKEN);
    }
  }

  /** Never rejects. */
  async disconnect(): Promise<void> {
    this.#life?.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    const { link, inbound, sessions, stop, rest } = connection;
    await within(STOP_WITHIN_MS, link.stop());
    // What is on its way into the inbox may arrive; what waits for another attempt is left to the next start.
    stop.abort();
    await within(STOP_WITHIN_MS, inbound.idle());
    await within(STOP_WITHIN_MS, sessions.flush());
    closeRest(rest);
    this.#health = { ...this.#health, state: "down", detail: this.#over ?? "Not connected to Discord" };
  }

  // ── health ────────────────────────────────────────────────────────────────────────────────────────────────────────

  health(): Health {
    return { ...this.#health };
  }

  #up(): void {
    this.#settings.log("info", "connected to Discord");
    this.#health = { state: "ok", lastProofAt: nowSeconds() };
  }

  #alive(whole: boolean, inbound: Inbound): void {
    this.#health = { state: "ok", lastProofAt: nowSeconds() };
    if (!whole) return;
    inbound.advance().catch((error: unknown) => {
      this.#settings.log("warn", "Discord's place was not saved", { err: error });
    });
  }

  #down(detail: string): void {
    if (this.#over !== undefined) return;
    this.#settings.log("warn", detail);
    this.#health = { ...this.#health, state: "degraded", detail };
  }

  #end(line: string): void {
    if (this.#over !== line) this.#settings.log("error", line);
    this.#over = line;
    this.#health = { ...this.#health, state: "down", detail: line };
  }

  // ── sending ───────────────────────────────────────────────────────────────────────────────────────────────────────

  async send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt> {
    try {
      return await this.#connected().sender.send(message, signal);
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

  async breakOff(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#connected().sender.breakOff(target, messageId, text, signal);
  }

  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    return this.#connected().sender.findPreview(target, signal);
  }

  dismiss(target: Target): void {
    this.#connection?.sender.dismiss(target);
  }

  type(target: Target): void {
    this.#connection?.sender.type(target);
  }

  async lookUp(message: OutboundMessage, signal: AbortSignal): Promise<LookedUp> {
    return this.#connection?.sender.lookUp(message, signal) ?? "unknown";
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

  #connected(): Connection {
    if (this.#connection) return this.#connection;
    throw new SendError("never_sent", this.#over ?? "Not connected to Discord", { scope: "account" });
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}
