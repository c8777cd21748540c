import { nowSeconds } from "../clock.js";
import { resetSettingsOf } from "../rules.js";
import { dueReason } from "../sessions/resolve.js";
import type { RouteRow } from "../store/queues.js";
import type { GatewayParts } from "./parts.js";

const EVERY_MS = 60_000;
/** Settled queue rows stay this long, for traces and the web chat's log. */
const QUEUE_DAYS = 30;

/** Ends sessions that are due although nobody writes, forgets old queue rows. What a message finds due needs no sweep. */
export class Sweep {
  readonly #parts: GatewayParts;
  readonly #hasWork: (key: string) => boolean;
  readonly #expired: (route: RouteRow) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: GatewayParts, hasWork: (key: string) => boolean, expired: (route: RouteRow) => void) {
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
    const { store, config } = this.#parts;
    const reset = resetSettingsOf(config);
    for (const route of await store.listRoutes()) {
      if (route.expiredReason || this.#hasWork(route.sessionKey)) continue;
      const reason = dueReason(route, { now, timeZone: config.timezone, hasBackgroundWork: false, reset });
      if (!reason) continue;
      if (!(await store.expireRoute(route.sessionKey, route.sessionId, reason))) continue;
      const ended = await store.getRoute(route.sessionKey);
      if (ended) this.#parts.routeChanged(ended);
      this.#expired(route);
    }
    await store.pruneQueues(QUEUE_DAYS * 86_400);
  }
}
