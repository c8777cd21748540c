/** The uplink to Home Assistant: one socket, and after each connect a comparison with what was reported. */
import type { AdapterEvents } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { keepSocketOpen, type LiveSocket, type SocketLost } from "../kit/socket-loop.js";
import { type HomeAssistantApi, isUnauthorized, reasonOf, TOKEN_REFUSED } from "./api.js";
import type { Settings } from "./config.js";
import { type EntityState, watchesNothing } from "./normalise.js";
import { Receiver } from "./receive.js";
import { openSocket } from "./socket.js";

export interface UplinkParts {
  api: HomeAssistantApi;
  settings: Settings;
  health: HealthTracker;
  events: AdapterEvents;
  signal: AbortSignal;
}

export const WATCHES_NOTHING =
  "No entity of Home Assistant is watched: set platforms.homeassistant.watch_entities or watch_domains";

export class Uplink {
  readonly #parts: UplinkParts;
  readonly #receiver: Receiver;
  #drop: (() => void) | undefined;
  #settle = () => {};
  /** Resolves when the first attempt has succeeded or failed. */
  readonly tried = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(parts: UplinkParts) {
    const { settings, events, signal, health } = parts;
    this.#parts = parts;
    const stuck = (isStuck: boolean) =>
      health.issue(
        "inbox",
        isStuck ? "Changes in Home Assistant can't be received now: retrying" : undefined,
      );
    this.#receiver = new Receiver({ settings, events, signal, stuck, incomplete: () => this.#drop?.() });
    health.issue("watch", watchesNothing(settings.watch) ? WATCHES_NOTHING : undefined, "ok");
  }

  /** Until the signal aborts. Never rejects. */
  async run(): Promise<void> {
    const { settings, health, signal } = this.#parts;
    const { timing } = settings;
    const cooling = this.#receiver.watchCooldowns();
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
      pingMs: timing.pingMs,
      stableMs: timing.stableMs,
      closeTimeoutMs: timing.closeMs,
    });
    this.#settle();
    await Promise.all([cooling, this.#receiver.idle()]);
  }

  async #open(heard: () => void, signal: AbortSignal): Promise<LiveSocket> {
    const { api, settings } = this.#parts;
    const { apiUrl, token } = settings;
    let states: Promise<readonly EntityState[]> = Promise.resolve([]);
    const socket = await openSocket({
      ...{ apiUrl, token, heard, signal },
      // Asked for after the subscription, so nothing falls between the two.
      subscribed: () => {
        states = api.states(signal);
        this.#receiver.compare(states);
      },
      changed: (data) => this.#receiver.push(data),
    });
    try {
      await states;
    } catch (error) {
      await socket.close();
      throw error;
    }
    this.#drop = () => void socket.close();
    return socket;
  }

  /** Updates the health; returns a delay to use in place of the backoff's, if any. */
  #lost({ reason, wasOpen }: SocketLost): number | undefined {
    const { health, settings, signal } = this.#parts;
    this.#drop = undefined;
    if (signal.aborted) return undefined;
    const isRefused = isUnauthorized(reason);
    const why = wasOpen ? "the connection closed" : reasonOf(reason);
    if (isRefused) health.trouble("down", TOKEN_REFUSED);
    else health.trouble("degraded", `Home Assistant can't be reached (${why}): retrying`);
    this.#settle();
    return isRefused ? settings.timing.refusedMs : undefined;
  }
}
