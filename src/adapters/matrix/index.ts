/** Matrix: receives by sync, answers with events. Encrypted rooms are refused. */
import { pause } from "../../backoff.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import { settlesWithin } from "../../timeout.js";
import type {
  Adapter,
  AdapterEvents,
  CanFindPreview,
  CanLookUp,
  CanStream,
  CanType,
  Health,
  LookedUp,
  PartContext,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { isUnauthorized, MatrixApi, reasonOf, TOKEN_REFUSED, tokenRefused } from "./api.js";
import { MAX_UPLOAD_BYTES, type MatrixOptions, type Settings, settingsOf } from "./config.js";
import { Uplink } from "./connect.js";
import { PLATFORM, type Self } from "./normalise.js";
import { LIMIT } from "./render.js";
import { Rooms } from "./rooms.js";
import { type MatrixPart, partsOf, Sender } from "./send.js";

export type { MatrixOptions } from "./config.js";

export interface MatrixAdapter extends Adapter, CanStream, CanFindPreview, CanLookUp, CanType {}

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 2000;

export function matrixAdapter(options: MatrixOptions): MatrixAdapter {
  return new Matrix(settingsOf(options));
}

class Matrix implements MatrixAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly files?: { maxBytes: number };
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  #self: Self | undefined;
  #sender: Sender | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.account = settings.account;
    if (settings.media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    const { log, timing } = settings;
    const staleMs = 2 * timing.pollMs + timing.pollGraceMs;
    this.#health = new HealthTracker({ label: "Matrix", staleMs, log });
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const { token, apiUrl, timing } = this.#settings;
    const api = new MatrixApi({ apiUrl, token, timeoutMs: timing.callMs });
    const rooms = new Rooms(api);
    await this.#introduce(api, life);
    if (life.signal.aborted) return;
    this.#sender = new Sender({ api, settings: this.#settings, rooms, self: () => this.#self });
    const uplink = new Uplink({
      ...{ api, rooms, events, settings: this.#settings, health: this.#health, signal: life.signal },
      onSelf: (self) => {
        this.#self = self;
      },
    });
    this.#running = uplink.run();
    await Promise.race([uplink.tried, pause(timing.patienceMs, life.signal)]);
  }

  /** Rejects when the token is refused; retries other errors in the background. */
  async #introduce(api: MatrixApi, life: AbortController): Promise<void> {
    try {
      await api.whoAmI(life.signal);
    } catch (error) {
      if (life.signal.aborted) return;
      if (isUnauthorized(error)) {
        life.abort();
        this.#health.trouble("down", TOKEN_REFUSED);
        throw tokenRefused();
      }
      this.#health.trouble("degraded", `The homeserver can't be reached (${reasonOf(error)}): retrying`);
    }
  }

  /** Stops receiving; answers that are already finished are still sent. */
  async disconnect(): Promise<void> {
    this.#health.closed();
    this.#life?.abort();
    await settlesWithin(this.#running, DISCONNECT_MS);
  }

  health(): Health {
    return this.#health.read();
  }

  readonly render = partsOf;

  async sendPart(
    message: OutboundMessage,
    part: MatrixPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    return this.#connected().sendPart(message, part, context, signal);
  }

  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    return this.#connected().show(target, messageId, text, signal, posting);
  }

  async abandon(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#connected().abandon(target, messageId, text, signal);
  }

  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    return this.#connected().findPreview(target, signal);
  }

  async lookUp(
    message: OutboundMessage,
    _part: MatrixPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    return this.#sender?.lookUp(message, context, signal) ?? "unknown";
  }

  type(target: Target): void {
    this.#sender?.type(target);
  }

  #connected(): Sender {
    if (this.#sender) return this.#sender;
    throw new SendError("never_sent", "Not connected to Matrix", { scope: "account" });
  }
}
