import { join } from "node:path";
import { nowSeconds } from "../clock.js";
import { MEDIA_FOLDERS } from "../config/paths.js";
import { removeOldFiles } from "../media/clean.js";
import { resetSettingsOf } from "../rules.js";
import { dueReason } from "../sessions/resolve.js";
import { ROUTES_CHANGED, type RouteRow } from "../store/queues.js";
import type { GatewayParts } from "./parts.js";

const EVERY_MS = 60_000;
/** Settled queue rows stay this long, for traces and the web chat's log. */
const QUEUE_DAYS = 30;
const DAY_SECONDS = 86_400;
const MEDIA_EVERY_SECONDS = 3600;

/** Ends sessions that are due although nobody writes, forgets old queue rows. What a message finds due needs no sweep. */
export class Sweep {
  readonly #parts: GatewayParts;
  readonly #hasWork: (key: string) => boolean;
  readonly #expired: (route: RouteRow, reason: string) => void;
  #mediaLookedAt = 0;
  /** When another process last changed routes, as far as we know. */
  #routesChangedAt: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    parts: GatewayParts,
    hasWork: (key: string) => boolean,
    expired: (route: RouteRow, reason: string) => void,
  ) {
    this.#parts = parts;
    this.#hasWork = hasWork;
    this.#expired = expired;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.run().catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, "sweep failed"),
      );
    }, EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async run(now = nowSeconds()): Promise<void> {
    const { store, config, share } = this.#parts;
    const reset = resetSettingsOf(config);
    const changedAt = await store.getMeta(ROUTES_CHANGED);
    const routes = await store.listRoutes();
    if (changedAt !== this.#routesChangedAt) this.#parts.routesChanged(routes);
    this.#routesChangedAt = changedAt;
    for (const route of routes) {
      if (route.origin.platform === share?.except) continue;
      if (route.expiredReason || this.#hasWork(route.sessionKey)) continue;
      const reason = dueReason(route, { now, timeZone: config.timezone, hasBackgroundWork: false, reset });
      if (!reason) continue;
      if (!(await store.expireRoute(route.sessionKey, route.sessionId, reason))) continue;
      const ended = await store.getRoute(route.sessionKey);
      if (ended) this.#parts.routeChanged(ended);
      this.#expired(route, reason);
    }
    await store.pruneQueues(QUEUE_DAYS * DAY_SECONDS);
    await this.#removeOldMedia(now);
  }

  /** Files outlive the crash of the message that they came with: their age decides, nothing else. */
  async #removeOldMedia(now: number): Promise<void> {
    const { config, homeDir, log } = this.#parts;
    const days = config.media.retention_days;
    if (days === 0 || now < this.#mediaLookedAt + MEDIA_EVERY_SECONDS) return;
    this.#mediaLookedAt = now;
    let removed = 0;
    for (const folder of [MEDIA_FOLDERS.incoming, MEDIA_FOLDERS.sent])
      removed += await removeOldFiles(join(homeDir, folder), now - days * DAY_SECONDS);
    if (removed > 0) log.info({ removed }, "old files of chats removed");
  }
}
