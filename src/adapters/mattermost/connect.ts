/** The uplink to Mattermost: a socket for events, REST for missed posts. Ends with its signal. */
import { pause } from "../../backoff.js";
import type { AdapterEvents } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { keepSocketOpen, type LiveSocket, type SocketLost } from "../kit/socket-loop.js";
import { isUnauthorized, type MattermostApi, type Me, reasonOf, TOKEN_REFUSED, waitOf } from "./api.js";
import { CatchUp } from "./catch-up.js";
import type { Settings } from "./config.js";
import { Directory } from "./directory.js";
import { Receiver } from "./receive.js";
import { openSocket } from "./socket.js";
import type { Threads } from "./threads.js";

export interface UplinkParts {
  api: MattermostApi;
  settings: Settings;
  health: HealthTracker;
  events: AdapterEvents;
  threads: Threads;
  signal: AbortSignal;
  onMe(me: Me): void;
}

interface Reading {
  directory: Directory;
  receiver: Receiver;
  catchUp: CatchUp;
}

export class Uplink {
  readonly #parts: UplinkParts;
  #reading: Reading | undefined;
  /** Pushes wait while the channels are listed, so that what a channel has missed comes first. */
  #gate: Promise<unknown> = Promise.resolve();
  #sweeping: Promise<void> | undefined;
  /** Ends the socket, because events were lost. */
  #drop: (() => void) | undefined;
  #settle = () => {};
  /** Resolves when the first attempt has succeeded or failed. */
  readonly tried = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** What the server tells about channels; undefined if it was never reached. */
  get directory(): Directory | undefined {
    return this.#reading?.directory;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { settings, health, signal } = this.#parts;
    const { timing } = settings;
    const sweeps = this.#sweepNowAndThen();
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
      openTimeoutMs: timing.helloMs + timing.callMs,
      pingMs: timing.pingMs,
      stableMs: timing.stableMs,
      closeTimeoutMs: timing.closeMs,
    });
    this.#settle();
    await sweeps;
  }

  async #open(heard: () => void, signal: AbortSignal): Promise<LiveSocket> {
    const { api, settings } = this.#parts;
    const me = await api.me(signal);
    this.#parts.onMe(me);
    this.#reading ??= this.#begin(me);
    const { receiver } = this.#reading;
    // Before the channels are listed, nothing that is pushed is passed on.
    let listed = () => {};
    this.#gate = new Promise<void>((resolve) => {
      listed = resolve;
    });
    receiver.isIncomplete = true;
    const { apiUrl, token } = settings;
    try {
      const socket = await openSocket({
        ...{ apiUrl, token, heard, signal },
        event: (name, data) => this.#push(receiver, name, data),
        gap: () => this.#drop?.(),
      });
      this.#drop = () => void socket.close();
      await this.#sweep(true).catch((error: unknown) => {
        void socket.close();
        throw error;
      });
      return socket;
    } finally {
      listed();
    }
  }

  #begin(me: Me): Reading {
    const { api, settings, events, threads, signal, health } = this.#parts;
    const directory = new Directory(api);
    const stuck = (isStuck: boolean) =>
      health.issue("inbox", isStuck ? "Messages from Mattermost can't be received now: retrying" : undefined);
    const receiver = new Receiver({ api, settings, events, me, threads, directory, signal, stuck });
    const catchUp = new CatchUp({ api, settings, events, receiver, directory, signal });
    return { directory, receiver, catchUp };
  }

  #push(receiver: Receiver, name: string, data: Record<string, unknown>): void {
    this.#gate = this.#gate.then(() => {
      receiver.push(name, data).catch(() => {
        if (this.#parts.signal.aborted) return;
        // Too much is waiting: the channels are read again after it.
        receiver.isIncomplete = true;
        this.#drop?.();
      });
    });
  }

  /** Resolves when the channels are listed. What they have missed is read in the background. */
  async #sweep(isAfterGap: boolean): Promise<void> {
    const { catchUp, receiver } = this.#reading!;
    const finish = await catchUp.plan(isAfterGap);
    this.#sweeping = finish().then(
      () => {
        receiver.isIncomplete = false;
      },
      () => undefined,
    );
  }

  /** A socket can lose posts without a sign: read the lists beside it. */
  async #sweepNowAndThen(): Promise<void> {
    const { signal, settings, health } = this.#parts;
    while (!signal.aborted) {
      await pause(settings.timing.sweepMs, signal);
      await this.#sweeping;
      if (signal.aborted || !this.#reading || health.read().state === "down") continue;
      await this.#sweep(false).catch((error: unknown) => {
        settings.log(
          "warn",
          `Mattermost's channels could not be checked (${reasonOf(error)}): trying again later`,
        );
      });
    }
  }

  /** Updates the health; returns a delay to use in place of the backoff's, if any. */
  #lost({ reason, wasOpen }: SocketLost): number | undefined {
    const { health, settings, signal } = this.#parts;
    this.#drop = undefined;
    if (signal.aborted) return undefined;
    if (isUnauthorized(reason)) {
      health.trouble("down", TOKEN_REFUSED);
      this.#settle();
      return settings.timing.refusedMs;
    }
    const why = wasOpen ? "the connection closed" : reasonOf(reason);
    health.trouble("degraded", `Mattermost can't be reached (${why}): retrying`);
    this.#settle();
    return waitOf(reason);
  }
}
