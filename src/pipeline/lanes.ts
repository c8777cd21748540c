import PQueue from "p-queue";
import type { SessionKey } from "../session.js";
import type { InboxRow } from "../store/queues.js";
import {
  authorOf,
  hasSuspended,
  isFree,
  isOpen,
  type Lane,
  type LaneItem,
  newLane,
  type RunningTurn,
  type SuspendedRows,
  takeTurn,
} from "./lane.js";
import type { EarlyStart } from "./turn.js";

export interface LaneOptions {
  maxConcurrent: number;
  run(key: SessionKey, rows: InboxRow[], turn: RunningTurn): Promise<SuspendedRows | undefined>;
  /** How long to wait for more of the same message. */
  settleMs(row: InboxRow): number;
  /** There is room again: read the rest from the store. */
  refill(): Promise<void>;
  onError(error: unknown, key: SessionKey): void;
}

/** A free lane that is kept for a message while it is being stored. One of the two must be called, once. */
export interface Reservation {
  /** Its turn has started in the store. */
  start(row: InboxRow, early: EarlyStart): void;
  /** There is no turn for it, or not yet. */
  release(): void;
}

/** How a turn starts, if not from the queue as usual. */
interface TurnOrigin {
  early?: EarlyStart | undefined;
  stopped?: "stopped" | undefined;
}

/** Rows in memory. The rest stays in the inbox until there is room. */
const MAX_ITEMS = 10_000;

/**
 * Waiting messages → turns. One lane per session key, one turn at a time in it, in order; many lanes in parallel, up to
 * the cap. Consecutive messages of one person that waited become one turn.
 */
export class Lanes {
  readonly #options: LaneOptions;
  readonly #queue: PQueue;
  readonly #lanes = new Map<SessionKey, Lane>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Rows in a lane or running: a row that is read twice runs once. */
  readonly #known = new Set<number>();
  #overflowed = false;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.maxConcurrent });
  }

  push(item: LaneItem): void {
    const { row } = item;
    if (this.#closed || this.#known.has(row.id)) return;
    // Once a row was skipped, newer ones must not overtake it.
    if (this.#overflowed || this.#known.size >= MAX_ITEMS) {
      this.#overflowed = true;
      return;
    }
    this.#known.add(row.id);
    this.#enter(item);
  }

  /** In a lane, or running. */
  has({ id }: Pick<InboxRow, "id">): boolean {
    return this.#known.has(id);
  }

  isRunning(key: SessionKey): boolean {
    return this.#lanes.get(key)?.running !== undefined;
  }

  waiting(key: SessionKey): number {
    return this.#lanes.get(key)?.items.length ?? 0;
  }

  /** Whether a lane whose key starts with this has work. */
  hasWork(prefix: string): boolean {
    for (const key of this.#lanes.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  get depth(): { waiting: number; running: number } {
    return { waiting: this.#known.size, running: this.#queue.pending };
  }

  /** Ends the running turn. Waiting messages stay, except those before the row `clearBefore`. */
  abort(key: SessionKey, reason: "stopped" | "interrupted", clearBefore = 0): boolean {
    const lane = this.#lanes.get(key);
    if (lane) this.#clear(lane, clearBefore);
    if (reason === "stopped" || !lane?.running?.isCommand) lane?.running?.controller.abort(reason);
    return lane?.running !== undefined;
  }

  /** Resolves when the running turn has ended. */
  async over(key: SessionKey): Promise<void> {
    await this.#lanes.get(key)?.over;
  }

  /** What the first message waits for is there: its turn starts now. */
  resume(key: SessionKey): void {
    const lane = this.#lanes.get(key);
    if (!lane) return;
    lane.quietUntilMs = 0;
    lane.resumed = true;
    if (lane.timer === undefined) return;
    this.#unschedule(lane);
    this.#schedule(key, lane);
  }

  /** Its next turn was interrupted, or waits for an answer. */
  isSuspended(key: SessionKey): boolean {
    const lane = this.#lanes.get(key);
    return lane !== undefined && hasSuspended(lane);
  }

  /** Ends a turn that waits for something: it starts once more, stopped. False: none does. */
  async endSuspended(key: SessionKey): Promise<boolean> {
    const lane = this.#lanes.get(key);
    if (!lane || !hasSuspended(lane)) return false;
    this.#unschedule(lane);
    lane.quietUntilMs = 0;
    await this.#runNow(key, lane, takeTurn(lane.items), { stopped: "stopped" });
    return true;
  }

  /** A command that doesn't wait for the running turn. Later messages start after it. */
  async hold(key: SessionKey, work: () => Promise<void>): Promise<void> {
    const lane = this.#lane(key);
    const mine = (lane.held ?? Promise.resolve()).then(work);
    const quiet = mine.catch(() => undefined);
    lane.held = quiet;
    await quiet;
    if (lane.held === quiet) {
      lane.held = undefined;
      this.#goOn(key, lane);
    }
    await mine;
  }

  /** No turn starts there until the returned function is called: rows that belong together start together. */
  fill(key: SessionKey): () => void {
    const lane = this.#lane(key);
    lane.filling += 1;
    let isFull = false;
    return () => {
      if (isFull) return;
      isFull = true;
      lane.filling -= 1;
      this.#goOn(key, lane);
    };
  }

  /** A free lane and a free place among those that run. Undefined: there is none, so the message has to be queued. */
  reserve(key: SessionKey): Reservation | undefined {
    const { pending, size } = this.#queue;
    const isFull = size > 0 || pending >= this.#queue.concurrency || this.#known.size >= MAX_ITEMS;
    if (isFull || this.#closed || this.#overflowed) return undefined;
    const lane = this.#lane(key);
    if (!isFree(lane)) return undefined;
    lane.reserved = true;
    let settle: (over: Promise<void> | undefined) => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      settle = (turn) => resolve(turn);
    });
    void this.#queue.add(() => over);
    return {
      start: (row, early) => {
        lane.reserved = false;
        this.#known.add(row.id);
        const run = () => this.#runNow(key, lane, [{ row }], { early });
        settle(lane.running ? lane.over?.then(run) : run());
      },
      release: () => {
        lane.reserved = false;
        this.#goOn(key, lane);
        settle(undefined);
      },
    };
  }

  /** While a running turn waits for a person, another one may run in its place. Call the result when it goes on. */
  lendPlace(): () => void {
    this.#queue.concurrency += 1;
    let isLent = true;
    return () => {
      if (isLent) this.#queue.concurrency -= 1;
      isLent = false;
    };
  }

  isReserved(key: SessionKey): boolean {
    return this.#lanes.get(key)?.reserved ?? false;
  }

  /**
   * Adds a message to the running turn, between two of its tool calls. If the turn doesn't take it, it becomes the next
   * turn; so does a message of another person, whose rights the turn doesn't have.
   */
  steer(row: InboxRow): void {
    const running = this.#lanes.get(row.sessionKey)?.running;
    const author = authorOf(row);
    const isTheirs = running !== undefined && author !== null && author === running.authorId;
    if (isTheirs && !this.#known.has(row.id)) {
      this.#known.add(row.id);
      running.steering.push(row);
    } else {
      this.push({ row });
    }
  }

  /** A message that waits to be added to a running turn was edited, or deleted (null). */
  changeSteering(key: SessionKey, inboxId: number, text: string | null): void {
    const running = this.#lanes.get(key)?.running;
    if (!running) return;
    if (text === null && running.steering.some(({ id }) => id === inboxId)) this.#known.delete(inboxId);
    running.steering = running.steering.flatMap((row) => {
      if (row.id !== inboxId) return [row];
      return text === null ? [] : [{ ...row, message: { ...row.message, text, edited: true as const } }];
    });
  }

  /** No new turns; running ones get a grace period, then they are aborted. Their messages wait in the inbox. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    for (const timer of this.#timers) clearTimeout(timer);
    const cutOff = setTimeout(() => {
      for (const { running } of this.#lanes.values())
        if (!running?.isCommand) running?.controller.abort("shutdown");
    }, graceMs);
    await this.#queue.onIdle();
    clearTimeout(cutOff);
  }

  #enter(item: LaneItem): void {
    const key = item.row.sessionKey;
    const lane = this.#lane(key);
    // In the order of the inbox: rows may be read in another order.
    const place = lane.items.findLastIndex(({ row }) => row.id < item.row.id) + 1;
    lane.items.splice(place, 0, item);
    // A row that waits for a retry holds up later ones: order counts more than speed.
    const pauseMs = item.row.waitSeconds * 1000;
    const settleMs = item.command ? 0 : this.#options.settleMs(item.row);
    lane.quietUntilMs = Math.max(lane.quietUntilMs, performance.now() + Math.max(pauseMs, settleMs));
    this.#schedule(key, lane);
  }

  #lane(key: SessionKey): Lane {
    const found = this.#lanes.get(key);
    if (found) return found;
    const lane = newLane();
    this.#lanes.set(key, lane);
    return lane;
  }

  #clear(lane: Lane, before: number): void {
    const isOlder = (row: InboxRow) => row.id < before;
    const dropped = [...lane.items.map((item) => item.row), ...(lane.running?.steering ?? [])].filter(
      isOlder,
    );
    for (const row of dropped) this.#known.delete(row.id);
    lane.items = lane.items.filter((item) => !isOlder(item.row));
    if (lane.running) lane.running.steering = lane.running.steering.filter((row) => !isOlder(row));
  }

  #goOn(key: SessionKey, lane: Lane): void {
    if (lane.items.length > 0) this.#schedule(key, lane);
    else if (!lane.running && isOpen(lane) && this.#lanes.get(key) === lane)
      // Only if it is the same lane: a timer of a removed lane may fire when its successor runs.
      this.#lanes.delete(key);
  }

  #schedule(key: SessionKey, lane: Lane): void {
    if (lane.scheduled || lane.running || !isOpen(lane) || this.#closed) return;
    lane.scheduled = true;
    const waitMs = lane.quietUntilMs - performance.now();
    const start = () => {
      lane.timer = undefined;
      lane.scheduled = false;
      // More messages arrived meanwhile.
      if (lane.quietUntilMs > performance.now() + 1) return this.#schedule(key, lane);
      // Set before add(): with a free slot p-queue starts the task synchronously.
      lane.scheduled = true;
      void this.#queue.add(() => this.#runNext(key, lane));
    };
    if (waitMs > 0) lane.timer = this.#later(waitMs, start);
    else start();
  }

  #unschedule(lane: Lane): void {
    if (lane.timer === undefined) return;
    clearTimeout(lane.timer);
    this.#timers.delete(lane.timer);
    lane.timer = undefined;
    lane.scheduled = false;
  }

  async #runNext(key: SessionKey, lane: Lane): Promise<void> {
    lane.scheduled = false;
    // It goes on when that is over.
    if (!isOpen(lane) || lane.running) return;
    const items = takeTurn(lane.items);
    if (!this.#closed) return this.#runNow(key, lane, items);
    for (const { row } of items) this.#known.delete(row.id);
  }

  /** Afterwards the lane continues with what waits. */
  async #runNow(key: SessionKey, lane: Lane, items: LaneItem[], how: TurnOrigin = {}): Promise<void> {
    let suspended: SuspendedRows | undefined;
    if (items.length > 0) {
      const running = this.#runItems(key, lane, items, how);
      lane.over = running.then(() => undefined);
      suspended = await running;
    }
    for (const { row } of items) this.#known.delete(row.id);
    if (suspended) this.#suspend(lane, suspended);
    this.#goOn(key, lane);
    await this.#refillIfRoom().catch((error: unknown) => this.#options.onError(error, key));
  }

  /** The turn keeps its place: later messages wait behind it. */
  #suspend(lane: Lane, { rows, waitMs }: SuspendedRows): void {
    for (const { id } of rows) this.#known.add(id);
    lane.items = [...rows.map((row) => ({ row })), ...lane.items];
    lane.quietUntilMs = lane.resumed ? 0 : performance.now() + waitMs;
  }

  async #runItems(
    key: SessionKey,
    lane: Lane,
    items: LaneItem[],
    { early, stopped }: TurnOrigin,
  ): Promise<SuspendedRows | undefined> {
    const authorId = authorOf(items[0]!.row);
    const controller = new AbortController();
    if (stopped) controller.abort(stopped);
    const command = items[0]?.command;
    const whose = { authorId, isCommand: command !== undefined };
    const running: RunningTurn = { ...whose, controller, steering: [], taken: [], said: "", early };
    lane.running = running;
    lane.resumed = false;
    try {
      const rows = items.map((item) => item.row);
      if (!command) return await this.#options.run(key, rows, running);
      await command(controller.signal);
    } catch (error) {
      this.#options.onError(error, key);
    } finally {
      lane.running = undefined;
      for (const { id } of running.taken) this.#known.delete(id);
      const left = running.steering.map((row) => ({ row }));
      lane.items = [...left, ...lane.items].toSorted((a, b) => a.row.id - b.row.id);
    }
    return undefined;
  }

  async #refillIfRoom(): Promise<void> {
    if (!this.#overflowed || this.#known.size > MAX_ITEMS / 2 || this.#closed) return;
    this.#overflowed = false;
    await this.#options.refill();
  }

  #later(delayMs: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        if (!this.#closed) action();
      },
      Math.min(delayMs, 2 ** 30),
    );
    this.#timers.add(timer);
    return timer;
  }
}
