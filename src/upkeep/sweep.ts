import { join } from "node:path";
import { monotonicSeconds, nowSeconds } from "../clock.js";
import { MEDIA_FOLDERS, SPILL_FOLDER, SPILL_HOURS } from "../config/paths.js";
import { removeOldFiles } from "../media/clean.js";
import type { GatewayParts } from "../pipeline/parts.js";
import { dueReason, notDueBefore, type ResetQuestion } from "../pipeline/resolve.js";
import { resetSettingsOf } from "../rules.js";
import type { SessionKey } from "../session.js";
import {
  type ListedRoute,
  type PostponedRoute,
  ROUTES_CHANGED,
  type RoutePage,
  type RouteRow,
} from "../store/queues.js";
import { ownerOfRoute } from "../store/shared/owner.js";

const INTERVAL_MS = 60_000;
/** Settled queue rows are kept this long, for traces and the web chat's log. */
const QUEUE_DAYS = 30;
const DAY_SECONDS = 86_400;
const MEDIA_INTERVAL_SECONDS = 3600;
/** Per batch: small enough not to block the event loop for long. */
const ROUTES_PER_BATCH = 100;

/** Ends due sessions of chats without new messages, and removes old queue rows and files. */
export class Sweep {
  readonly #parts: GatewayParts;
  readonly #hasWork: (key: string) => boolean;
  readonly #expired: (route: RouteRow, reason: string) => void;
  /** On the monotonic clock. */
  #nextMediaSweep = 0;
  /** The last seen change of routes by another process. */
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
    }, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async run(now = nowSeconds()): Promise<void> {
    const { store, routesChanged } = this.#parts;
    const changedAt = await store.getValue(ROUTES_CHANGED);
    if (changedAt !== this.#routesChangedAt) routesChanged();
    this.#routesChangedAt = changedAt;
    await this.#endDueSessions(now);
    await store.pruneQueues(QUEUE_DAYS * DAY_SECONDS);
    await this.#removeOldFiles(now);
  }

  /** Reads only routes that may be due, one page at a time. */
  async #endDueSessions(now: number): Promise<void> {
    const { store } = this.#parts;
    const question = this.#question(now);
    await store.settleDueRoutes({ rules: rulesOf(question), expired: [], postponed: [] });
    let after: RoutePage["next"] = null;
    do {
      const page: RoutePage = await store.listRoutes({ dueBy: now, limit: ROUTES_PER_BATCH, after });
      await this.#decide(page.routes, question);
      after = page.next;
    } while (after !== null);
  }

  /** Ends a session; the chat's next message opens a new one. False if the chat no longer uses it. */
  async end(route: RouteRow, reason: string): Promise<boolean> {
    const { store } = this.#parts;
    const { sessionKey, sessionId } = route;
    const expired = [{ sessionKey, sessionId, reason }];
    const rules = rulesOf(this.#question(nowSeconds()));
    const ended = await store.settleDueRoutes({ rules, expired, postponed: [] });
    if (ended.length > 0) this.#ended({ route, reason });
    return ended.length > 0;
  }

  #question(now: number): ResetQuestion {
    const { config } = this.#parts;
    return { now, timeZone: config.timezone, hasBackgroundWork: false, reset: resetSettingsOf(config) };
  }

  async #decide(page: readonly ListedRoute[], question: ResetQuestion): Promise<void> {
    const { store, owners } = this.#parts;
    const postponed: PostponedRoute[] = [];
    const due = new Map<SessionKey, { route: RouteRow; reason: string }>();
    for (const route of page) {
      const { sessionKey, epoch, dueAt } = route;
      const isOurs = !owners || owners.includes(ownerOfRoute(route.origin));
      if (isOurs && this.#hasWork(sessionKey)) continue;
      const reason = isOurs ? dueReason(route, question) : undefined;
      if (reason) due.set(sessionKey, { route, reason });
      else {
        const until = isOurs ? notDueBefore(route, question) : question.now + DAY_SECONDS;
        postponed.push({ sessionKey, epoch, dueAt, until });
      }
    }
    if (due.size + postponed.length === 0) return;
    const expired = [...due.values()].map(({ route: { sessionKey, sessionId }, reason }) => ({
      ...{ sessionKey, sessionId, reason },
    }));
    for (const key of await store.settleDueRoutes({ rules: rulesOf(question), expired, postponed }))
      this.#ended(due.get(key)!);
  }

  #ended({ route, reason }: { route: RouteRow; reason: string }): void {
    this.#parts.routesChanged();
    this.#expired(route, reason);
  }

  /** By age only: files may outlive the rows of their messages. */
  async #removeOldFiles(now: number): Promise<void> {
    const { config, homeDir, log } = this.#parts;
    if (monotonicSeconds() < this.#nextMediaSweep) return;
    this.#nextMediaSweep = monotonicSeconds() + MEDIA_INTERVAL_SECONDS;
    await removeOldFiles(join(homeDir, SPILL_FOLDER), now - SPILL_HOURS * 3600);
    const days = config.media.retention_days;
    if (days === 0) return;
    let removed = 0;
    for (const folder of [MEDIA_FOLDERS.incoming, MEDIA_FOLDERS.sent])
      removed += await removeOldFiles(join(homeDir, folder), now - days * DAY_SECONDS);
    if (removed > 0) log.info({ removed }, "removed old files of chats");
  }
}

/** Identifies the rules by which due times were computed. */
function rulesOf({ timeZone, reset }: ResetQuestion): string {
  return JSON.stringify([reset, timeZone, process.versions.tz]);
}
