/** The uplink to signal-cli: one event stream, opened again whenever it ends or falls silent. */
import type { AdapterEvents } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { isRecord, RestError } from "../kit/rest.js";
import { keepSocketOpen, type LiveSocket, type SocketLost } from "../kit/socket-loop.js";
import { NOT_SIGNAL_CLI, reasonOf, type SignalApi, UNKNOWN_ACCOUNT } from "./api.js";
import type { Settings } from "./config.js";
import { isUuid } from "./ids.js";
import type { Self } from "./normalise.js";
import { Receiver } from "./receive.js";
import { openStream } from "./stream.js";

export interface UplinkParts {
  api: SignalApi;
  settings: Settings;
  health: HealthTracker;
  events: AdapterEvents;
  /** Whether we have sent the message of this time. */
  isOurs(timestamp: number): boolean;
  signal: AbortSignal;
}

/** For these, only the operator can help. */
const REFUSALS: Readonly<Record<number, string>> = { 400: UNKNOWN_ACCOUNT, 404: NOT_SIGNAL_CLI };

export class Uplink {
  readonly #parts: UplinkParts;
  readonly #receiver: Receiver;
  #uuid: string | null = null;
  #settle = () => {};
  /** Resolves when the first attempt has succeeded or failed. */
  readonly tried = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(parts: UplinkParts) {
    const { api, settings, events, signal, health, isOurs } = parts;
    this.#parts = parts;
    const self = (): Self => ({
      ...{ number: settings.number, uuid: this.#uuid, account: settings.account, isOurs },
    });
    const stuck = (isStuck: boolean) =>
      health.issue("inbox", isStuck ? "Messages from Signal can't be received now: retrying" : undefined);
    this.#receiver = new Receiver({ api, settings, events, self, signal, stuck });
  }

  /** Until the signal aborts and the inbox has what came before. Never rejects. */
  async run(): Promise<void> {
    const { settings, health, signal } = this.#parts;
    const { timing } = settings;
    await keepSocketOpen({
      open: (heard, opening) => this.#open(heard, opening),
      onOpen: () => {
        health.up();
        this.#settle();
      },
      onAlive: () => health.heard(),
      onLost: (lost) => this.#lost(lost),
      signal,
      backoff: timing.backoff,
      openTimeoutMs: timing.openMs,
      pingMs: timing.silenceMs,
      stableMs: timing.stableMs,
      closeTimeoutMs: timing.closeMs,
    });
    this.#settle();
    await this.#receiver.idle();
  }

  async #open(heard: () => void, signal: AbortSignal): Promise<LiveSocket> {
    const { api, settings } = this.#parts;
    await api.check(signal);
    this.#uuid ??= await ownUuid(api, settings.number, signal);
    return openStream({
      ...{ url: `${settings.apiUrl}/api/v1/events?account=${encodeURIComponent(settings.number)}` },
      ...{ heard, signal, event: (data) => this.#event(data), isFull: () => this.#receiver.isFull },
    });
  }

  #event(data: string): void {
    const { settings } = this.#parts;
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      settings.log("warn", "skipped an event from Signal that isn't valid JSON");
      return;
    }
    this.#receiver.take(event).catch((error: unknown) => {
      settings.log("error", "a message from Signal was lost", { err: error });
    });
  }

  /** Updates the health; returns a delay to use in place of the backoff's, if any. */
  #lost({ reason, wasOpen }: SocketLost): number | undefined {
    const { health, settings, signal } = this.#parts;
    if (signal.aborted) return undefined;
    const refusal = reason instanceof RestError ? REFUSALS[reason.status] : undefined;
    const why = wasOpen ? "the stream ended" : reasonOf(reason);
    if (refusal === undefined) health.trouble("degraded", `signal-cli can't be reached (${why}): retrying`);
    else health.trouble("down", refusal);
    this.#settle();
    return refusal === undefined ? undefined : settings.timing.refusedMs;
  }
}

/** For mentions of the bot. Unknown: only its number is recognised. */
async function ownUuid(api: SignalApi, number: string, signal: AbortSignal): Promise<string | null> {
  const found = await api.rpc("getUserStatus", { recipient: [number] }, { signal }).catch(() => undefined);
  const [first] = Array.isArray(found) ? found : [];
  return isRecord(first) && isUuid(first.uuid) ? first.uuid : null;
}
