/** The uplink to the homeserver: one sync after another. Ends with its signal. */
import { pause } from "../../backoff.js";
import type { AdapterEvents } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { isRecord, RestError } from "../kit/rest.js";
import { repeat } from "../kit/retry.js";
import { isUnauthorized, type MatrixApi, reasonOf, TOKEN_REFUSED, waitOf } from "./api.js";
import type { Settings } from "./config.js";
import { CURSOR } from "./ids.js";
import type { Self } from "./normalise.js";
import { Receiver } from "./receive.js";
import type { Rooms } from "./rooms.js";
import { type SyncNews, sync } from "./sync.js";

export interface UplinkParts {
  api: MatrixApi;
  settings: Settings;
  health: HealthTracker;
  events: AdapterEvents;
  rooms: Rooms;
  signal: AbortSignal;
  onSelf(self: Self): void;
}

/** Servers that don't hold syncs aren't asked more often. */
const MIN_POLL_MS = 100;

export class Uplink {
  readonly #parts: UplinkParts;
  #receiver: { receiver: Receiver; me: string } | undefined;
  /** The next sync is answered at once, so that a recovery shows soon. */
  #quick = true;
  #settle = () => {};
  /** Resolves when the first sync has succeeded or failed. */
  readonly tried = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { settings, signal } = this.#parts;
    const onFailure = (error: unknown) => this.#failed(error);
    await repeat(() => this.#syncOnce(), { backoff: settings.timing.backoff, signal, onFailure });
    this.#settle();
  }

  async #syncOnce(): Promise<void> {
    const { events, health, settings, signal } = this.#parts;
    const { receiver, me } = this.#receiver ?? (await this.#begin());
    const startMs = performance.now();
    const since = await events.cursor(CURSOR);
    const timeoutMs = this.#quick || since === undefined ? 0 : settings.timing.pollMs;
    const news = await this.#sync(since, timeoutMs, me);
    health.heard();
    if (signal.aborted) return;
    await this.#take(receiver, news, since === undefined);
    if (signal.aborted) return;
    this.#quick = since === undefined;
    health.up();
    this.#settle();
    const heldMs = performance.now() - startMs;
    const hasNews = news.rooms.length > 0 || timeoutMs === 0;
    if (!hasNews && heldMs < Math.min(MIN_POLL_MS, timeoutMs)) await pause(MIN_POLL_MS, signal);
  }

  async #begin() {
    const { api, settings, events, health, rooms, signal, onSelf } = this.#parts;
    const id = await api.whoAmI(signal);
    const path = `/profile/${encodeURIComponent(id)}/displayname`;
    const profile = await api.call("GET", path, { signal }).catch(() => undefined);
    const name = isRecord(profile) && typeof profile.displayname === "string" ? profile.displayname : null;
    const self = { id, name };
    onSelf(self);
    this.#receiver = {
      receiver: new Receiver({ api, settings, events, health, rooms, self, signal }),
      me: id,
    };
    return this.#receiver;
  }

  /** A token that the server has forgotten is given up. */
  async #sync(since: string | undefined, timeoutMs: number, me: string): Promise<SyncNews> {
    const { api, settings, signal } = this.#parts;
    const graceMs = settings.timing.pollGraceMs;
    const skipped = (roomId: string) =>
      settings.log("warn", "too many missed messages in a Matrix room: the oldest were skipped", { roomId });
    const options = { timeoutMs, graceMs, me, signal, skipped };
    try {
      return await sync(api, { ...options, since });
    } catch (error) {
      if (since === undefined || !(error instanceof RestError) || error.status !== 400) throw error;
      settings.log("warn", "the homeserver no longer knows our sync token: messages since then are skipped");
      const news = await sync(api, { ...options, since: undefined });
      return { ...news, rooms: [] };
    }
  }

  /** Messages from before the very first sync are skipped. */
  async #take(receiver: Receiver, news: SyncNews, isFirst: boolean): Promise<void> {
    try {
      await receiver.take(isFirst ? { ...news, rooms: [] } : news);
    } catch (error) {
      throw new NotReceived(error);
    }
  }

  /** Updates the health; returns a delay to use in place of the backoff's, if any. */
  #failed(failure: unknown): number | undefined {
    const { health, settings } = this.#parts;
    this.#quick = true;
    this.#settle();
    const error = failure instanceof NotReceived ? failure.cause : failure;
    if (isUnauthorized(error)) {
      health.trouble("down", TOKEN_REFUSED);
      return settings.timing.refusedMs;
    }
    const what = failure instanceof NotReceived ? "Messages from Matrix can't be received now" : undefined;
    health.trouble("degraded", `${what ?? `The homeserver can't be reached (${reasonOf(error)})`}: retrying`);
    return waitOf(error);
  }
}

class NotReceived extends Error {
  constructor(cause: unknown) {
    super("a sync was not received", { cause });
  }
}
