import type { SessionKey } from "../session.js";
import type { InboxRow } from "../store/queues.js";
import type { TraceId } from "../trace-id.js";
import type { Context } from "./context.js";
import type { Lanes } from "./lanes.js";

const RETRY_MS = 1000;
/** Another process may have retried a dead message, and a turn may have ended without being stored. */
const LOOK_EVERY_MS = 15_000;

export interface RefillStages {
  lanes: Lanes;
  route(row: InboxRow): Promise<void>;
}

/** Brings what waits in the inbox into the lanes: at the start, after failures, and now and then. */
export class Refill {
  readonly #context: Context;
  readonly #stages: RefillStages;
  /** Routing in progress: a stop waits for it. */
  readonly #tracked = new Set<Promise<void>>();
  #retry: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Context, stages: RefillStages) {
    this.#context = context;
    this.#stages = stages;
  }

  start(): void {
    this.#timer = setInterval(() => this.track(this.#look()), LOOK_EVERY_MS);
  }

  stop(): void {
    clearTimeout(this.#retry);
    clearInterval(this.#timer);
  }

  /** Resolves when nothing is being routed any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#tracked);
  }

  /** Work in the background. If it fails, its messages still wait in the inbox: they are read again soon. */
  track(work: Promise<void>, traceId?: TraceId): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#context.log.error({ err: error, traceId }, "routing failed");
        this.soon();
      })
      .finally(() => this.#tracked.delete(tracked));
    this.#tracked.add(tracked);
  }

  /** For rows whose pause ends soon, or that could not be routed. */
  soon(): void {
    if (this.#context.stopping.aborted) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.track(this.#look()), RETRY_MS);
  }

  async readWaiting(): Promise<void> {
    const { store, owners } = this.#context;
    const bySession = new Map<SessionKey, InboxRow[]>();
    for (const row of await store.openMessages({ owners })) {
      const rows = bySession.get(row.sessionKey);
      if (rows) rows.push(row);
      else bySession.set(row.sessionKey, [row]);
    }
    for (const [key, rows] of bySession) await this.#fillLane(key, rows);
  }

  /** No turn starts before all rows are in the lane: those that were one turn stay one. */
  async #fillLane(key: SessionKey, rows: readonly InboxRow[]): Promise<void> {
    const { lanes, route } = this.#stages;
    const filled = lanes.fill(key);
    try {
      for (const row of rows) if (!lanes.has(row)) await route(row);
    } finally {
      filled();
    }
  }

  async #look(): Promise<void> {
    await this.#context.store.restartWaits();
    await this.readWaiting();
    if (await this.#releaseStranded()) await this.readWaiting();
  }

  /** Turns that ended, but neither their answer nor their failure could be stored (a full disk, say). */
  async #releaseStranded(): Promise<boolean> {
    const { store, bootId } = this.#context;
    const running = await store.openMessages({ runningUnder: bootId });
    const { lanes } = this.#stages;
    // A turn that starts with its message is in the store before its lane knows the row.
    const stranded = running.filter((row) => !lanes.has(row) && !lanes.isReserved(row.sessionKey));
    for (const { id, turnId, sessionKey } of stranded) {
      const error = "the end of its turn could not be stored";
      const next = { state: "waiting", waitSeconds: 0 } as const;
      await store.failTurn({ turnId: turnId!, sessionKey, inboxIds: [id], error, next, replies: [] });
    }
    return stranded.length > 0;
  }
}
