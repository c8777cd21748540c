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
  /** Called when there is room again, to read the rest from the store. */
  refill(): Promise<void>;
  onError(error: unknown, key: SessionKey): void;
}

/** A free lane, reserved for a message while it is being stored. Call exactly one of the two, once. */
export interface Reservation {
  /** The store has started the turn. */
  start(row: InboxRow, early: EarlyStart): void;
  /** The message gets no turn, or not yet. */
  release(): void;
}

/** How a turn starts if not from the queue. */
interface TurnOrigin {
  early?: EarlyStart | undefined;
  stopped?: "stopped" | undefined;
}

/** Maximum rows in memory. The rest stays in the inbox. */
const MAX_ITEMS = 10_000;

/**
 * Waiting messages → turns. Each session key has a lane that runs one turn at a time, in order; lanes run in
 * parallel up to a limit. Consecutive waiting messages of one person become one turn.
 */
export class Lanes {
  readonly #options: LaneOptions;
  readonly #queue: PQueue;
  readonly #lanes = new Map<SessionKey, Lane>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Rows in a lane or running, so that a row that is read twice runs once. */
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
    // Once a row is skipped, newer ones must not overtake it.
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

  /** Whether a lane whose key has this prefix has work. */
  hasWork(prefix: string): boolean {
    for (const key of this.#lanes.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  get depth(): { waiting: number; running: number } {
    return { waiting: this.#known.size, running: this.#queue.pending };
  }

  /** Ends the running turn. Drops waiting messages before the row `clearBefore`; the others stay. */
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

  /** Starts the suspended turn at the head of the lane: what it was waiting for has arrived. */
  resume(key: SessionKey): void {
    const lane = this.#lanes.get(key);
    if (!lane) return;
    lane.quietUntilMs = 0;
    lane.resumed = true;
    if (lane.timer === undefined) return;
    this.#unschedule(lane);
    this.#schedule(key, lane);
  }

  /** Whether its next turn was interrupted or is suspended. */
  isSuspended(key: SessionKey): boolean {
    const lane = this.#lanes.get(key);
    return lane !== undefined && hasSuspended(lane);
  }

  /** Ends a suspended turn by starting it again with a stop. False if there is none. */
  async endSuspended(key: SessionKey): Promise<boolean> {
    const lane = this.#lanes.get(key);
    if (!lane || !hasSuspended(lane)) return false;
    this.#unschedule(lane);
    lane.quietUntilMs = 0;
    await this.#runNow(key, lane, takeTurn(lane.items), { stopped: "stopped" });
    return true;
  }

  /** Runs a command without waiting for the running turn. Later messages start after it. */
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

  /** Holds the lane until the returned function is called, so that rows that belong together start together. */
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

  /** Reserves a free lane and a free slot. Undefined if there is none and the message must be queued. */
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

  /** Frees the slot of a running turn that waits for a person. Call the result when the turn continues. */
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
   * Adds a message to the running turn, between two tool calls. It becomes the next turn instead if the turn
   * doesn't pick it up, if another person sent it (the turn lacks their rights), or if it would overtake a
   * message of the same person.
   */
  steer(row: InboxRow): void {
    const { running, items = [] } = this.#lanes.get(row.sessionKey) ?? {};
    const author = authorOf(row);
    const isTheirs = running !== undefined && author !== null && author === running.authorId;
    const overtakes = items.some((item) => !item.command && authorOf(item.row) === author);
    if (isTheirs && !overtakes && !this.#known.has(row.id)) {
      this.#known.add(row.id);
      running.steering.push(row);
    } else {
      this.push({ row });
    }
  }

  /** Updates a message that waits to be added to a running turn: edited, or deleted (null). */
  changeSteering(key: SessionKey, inboxId: number, text: string | null): void {
    const running = this.#lanes.get(key)?.running;
    if (!running) return;
    if (text === null && running.steering.some(({ id }) => id === inboxId)) this.#known.delete(inboxId);
    running.steering = running.steering.flatMap((row) => {
      if (row.id !== inboxId) return [row];
      return text === null ? [] : [{ ...row, message: { ...row.message, text, edited: true as const } }];
    });
  }

  /** Starts no new turns; aborts running ones after a grace period. Their messages stay in the inbox. */
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
    // Sorted by inbox order: rows may be read in a different order.
    const place = lane.items.findLastIndex(({ row }) => row.id < item.row.id) + 1;
    lane.items.splice(place, 0, item);
    // A row waiting for a retry blocks later ones: order matters more than speed.
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
      // Check that it is the same lane: the timer of a removed lane may fire after its successor started.
      this.#lanes.delete(key);
  }

  #schedule(key: SessionKey, lane: Lane): void {
    if (lane.scheduled || lane.running || !isOpen(lane) || this.#closed) return;
    lane.scheduled = true;
    const waitMs = lane.quietUntilMs - performance.now();
    const start = () => {
      lane.timer = undefined;
      lane.scheduled = false;
      // More messages arrived in the meantime.
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
    // The turn continues when the wait is over.
    if (!isOpen(lane) || lane.running) return;
    const items = takeTurn(lane.items);
    if (!this.#closed) return this.#runNow(key, lane, items);
    for (const { row } of items) this.#known.delete(row.id);
  }

  /** Then the lane continues with its waiting messages. */
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

  /** The turn keeps its position: later messages wait behind it. */
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
