import type { SessionKey } from "../session.js";
import type { InboxRow } from "../store/queues.js";
import type { TraceId } from "../trace-id.js";
import type { Context } from "./context.js";
import type { Lanes } from "./lanes.js";

const RETRY_MS = 1000;
/** Catches dead letters retried by another process and turns whose end wasn't stored. */
const LOOK_EVERY_MS = 15_000;

export interface RefillStages {
  lanes: Lanes;
  route(row: InboxRow): Promise<void>;
}

/** Moves waiting inbox rows into the lanes: at startup, after failures, and periodically. */
export class Refill {
  readonly #context: Context;
  readonly #stages: RefillStages;
  /** Routing in progress, which a stop waits for. */
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

  /** Runs work in the background. If it fails, its messages are still in the inbox and are read again soon. */
  track(work: Promise<void>, traceId?: TraceId): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#context.log.error({ err: error, traceId }, "routing failed");
        this.soon();
      })
      .finally(() => this.#tracked.delete(tracked));
    this.#tracked.add(tracked);
  }

  /** For rows whose delay ends soon, or that could not be routed. */
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

  /** Starts no turn before all rows are in the lane, so that rows of one turn stay together. */
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
    await this.#context.store.retry("misdated");
    await this.readWaiting();
    if (await this.#releaseStranded()) await this.readWaiting();
  }

  /** Turns that ended, but whose end could not be stored (disk full, for example). */
  async #releaseStranded(): Promise<boolean> {
    const { store, bootId } = this.#context;
    const running = await store.openMessages({ runningUnder: bootId });
    const { lanes } = this.#stages;
    // A turn that starts with its message is stored before its lane knows the row.
    const stranded = running.filter((row) => !lanes.has(row) && !lanes.isReserved(row.sessionKey));
    for (const { id, turnId, sessionKey } of stranded) {
      const error = "the end of the turn could not be stored";
      const next = { state: "waiting", waitSeconds: 0 } as const;
      await store.failTurn({ turnId: turnId!, sessionKey, inboxIds: [id], error, next, replies: [] });
    }
    return stranded.length > 0;
  }
}
