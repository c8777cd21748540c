import PQueue from "p-queue";
import { mergeWaiting } from "../policies/busy.js";
import type { SessionKey } from "../session.js";
import type { InboxRow } from "../store/queues.js";

/**
 * Waiting messages → turns. One lane per session key, one turn at a time in it, in order; many lanes at once, up to
 * the cap. What one person wrote in a row while the lane was busy becomes one turn.
 */
export interface LaneItem {
  row: InboxRow;
  /** Carried out in its place in the line instead of a turn. */
  command?: (signal: AbortSignal) => Promise<void>;
}

export interface RunningTurn {
  /** Whose turn it is: it has their rights. Null: nobody knows. */
  authorId: string | null;
  controller: AbortController;
  /** Only a stop ends it: what is said meanwhile waits. */
  isCommand: boolean;
  /** What was added since the agent last looked. */
  steering: InboxRow[];
  /** What the agent has taken up on the way: done when the turn is. */
  taken: InboxRow[];
  /** Of its answer, as the chat is shown it while it is written. */
  said: string;
}

export interface LaneOptions {
  maxConcurrent: number;
  run(key: SessionKey, rows: InboxRow[], turn: RunningTurn): Promise<void>;
  /** How long to wait for more of the same message. */
  settleMs(row: InboxRow): number;
  /** More waited than memory should hold: read them again from the store. */
  refill(): Promise<void>;
  onError(error: unknown, key: SessionKey): void;
}

interface Lane {
  items: LaneItem[];
  scheduled: boolean;
  running: RunningTurn | undefined;
  /** Resolves when that has ended. */
  over: Promise<void> | undefined;
  /** Commands that act at once, one after another; no turn begins before them. */
  held: Promise<void> | undefined;
  /** How many are still adding to it what must not begin one by one. */
  filling: number;
  /** When the last message came: a burst is over when it is quiet for a moment. */
  quietUntilMs: number;
}

/** Rows in memory. The rest is safe in the inbox and comes when there is room. */
const ITEMS_MAX = 10_000;

export class Lanes {
  readonly #options: LaneOptions;
  readonly #queue: PQueue;
  readonly #lanes = new Map<SessionKey, Lane>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Rows that are in a lane or running: a row that is read twice runs once. */
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
    // Once something was left out, what is younger must not overtake it.
    if (this.#overflowed || this.#known.size >= ITEMS_MAX) {
      this.#overflowed = true;
      return;
    }
    this.#known.add(row.id);
    this.#enter(item);
  }

  /** It is in a lane or running. */
  has({ id }: Pick<InboxRow, "id">): boolean {
    return this.#known.has(id);
  }

  isRunning(key: SessionKey): boolean {
    return this.#lanes.get(key)?.running !== undefined;
  }

  waiting(key: SessionKey): number {
    return this.#lanes.get(key)?.items.length ?? 0;
  }

  /** Lanes whose key begins so have something to do. */
  hasWork(prefix: string): boolean {
    for (const key of this.#lanes.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  get depth(): { waiting: number; running: number } {
    return { waiting: this.#known.size, running: this.#queue.pending };
  }

  /** Ends the running turn. What waits stays, but for what came before the row `clearBefore`. */
  abort(key: SessionKey, reason: "stopped" | "interrupted", clearBefore = 0): boolean {
    const lane = this.#lanes.get(key);
    if (lane) this.#clear(lane, clearBefore);
    if (reason === "stopped" || !lane?.running?.isCommand) lane?.running?.controller.abort(reason);
    return lane?.running !== undefined;
  }

  /** Resolves when what runs there now has ended. */
  async over(key: SessionKey): Promise<void> {
    await this.#lanes.get(key)?.over;
  }

  /** A command that doesn't wait for the running turn. What comes after it begins after it. */
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

  /** No turn begins there until the function that it gives is called: what belongs together comes together. */
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

  /**
   * Into the running turn, between two of its tool calls. What it doesn't take up becomes the next turn; so does what
   * somebody else says, for whom the turn has no rights.
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

  /** What waits to be added to a running turn says something else now, or nothing. */
  changeSteering(key: SessionKey, inboxId: number, text: string | null): void {
    const running = this.#lanes.get(key)?.running;
    if (!running) return;
    if (text === null && running.steering.some(({ id }) => id === inboxId)) this.#known.delete(inboxId);
    running.steering = running.steering.flatMap((row) => {
      if (row.id !== inboxId) return [row];
      return text === null ? [] : [{ ...row, message: { ...row.message, text, edited: true as const } }];
    });
  }

  /** No new turns; the running ones get a grace, then they are cut off. Their messages wait in the inbox. */
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
    // In the order of the inbox, whatever the order in which rows were read from it.
    const place = lane.items.findLastIndex(({ row }) => row.id < item.row.id) + 1;
    lane.items.splice(place, 0, item);
    // A row that pauses after a fault holds up what came after it: order counts more than speed.
    const pauseMs = item.row.waitSeconds * 1000;
    const settleMs = item.command ? 0 : this.#options.settleMs(item.row);
    lane.quietUntilMs = Math.max(lane.quietUntilMs, performance.now() + Math.max(pauseMs, settleMs));
    this.#schedule(key, lane);
  }

  #lane(key: SessionKey): Lane {
    const found = this.#lanes.get(key);
    if (found) return found;
    const idle = { running: undefined, over: undefined, held: undefined };
    const lane = { items: [], scheduled: false, ...idle, filling: 0, quietUntilMs: 0 };
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
    else if (!lane.running && !lane.held && lane.filling === 0 && this.#lanes.get(key) === lane)
      // Only if it is still the one: a timer of a lane that was cleared may end when its successor runs.
      this.#lanes.delete(key);
  }

  #schedule(key: SessionKey, lane: Lane): void {
    if (lane.scheduled || lane.running || lane.held || lane.filling > 0 || this.#closed) return;
    lane.scheduled = true;
    const waitMs = lane.quietUntilMs - performance.now();
    const start = () => {
      lane.scheduled = false;
      // More came while we waited: wait for the end of that.
      if (lane.quietUntilMs > performance.now() + 1) return this.#schedule(key, lane);
      // Before the call: with a free place the turn begins within it.
      lane.scheduled = true;
      void this.#queue.add(() => this.#runNext(key, lane));
    };
    if (waitMs > 0) this.#later(waitMs, start);
    else start();
  }

  async #runNext(key: SessionKey, lane: Lane): Promise<void> {
    lane.scheduled = false;
    if (lane.held || lane.filling > 0) return;
    const items = takeTurn(lane.items);
    if (items.length > 0 && !this.#closed) {
      lane.over = this.#runItems(key, lane, items);
      await lane.over;
    }
    for (const { row } of items) this.#known.delete(row.id);
    this.#goOn(key, lane);
    await this.#refillIfRoom().catch((error: unknown) => this.#options.onError(error, key));
  }

  async #runItems(key: SessionKey, lane: Lane, items: LaneItem[]): Promise<void> {
    const authorId = authorOf(items[0]!.row);
    const controller = new AbortController();
    const command = items[0]?.command;
    const whose = { authorId, isCommand: command !== undefined };
    const running: RunningTurn = { ...whose, controller, steering: [], taken: [], said: "" };
    lane.running = running;
    try {
      if (command) await command(controller.signal);
      else
        await this.#options.run(
          key,
          items.map((item) => item.row),
          running,
        );
    } catch (error) {
      this.#options.onError(error, key);
    } finally {
      lane.running = undefined;
      for (const { id } of running.taken) this.#known.delete(id);
      const left = running.steering.map((row) => ({ row }));
      lane.items = [...left, ...lane.items].toSorted((a, b) => a.row.id - b.row.id);
    }
  }

  async #refillIfRoom(): Promise<void> {
    if (!this.#overflowed || this.#known.size > ITEMS_MAX / 2 || this.#closed) return;
    this.#overflowed = false;
    await this.#options.refill();
  }

  #later(delayMs: number, action: () => void): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        if (!this.#closed) action();
      },
      Math.min(delayMs, 2 ** 30),
    );
    this.#timers.add(timer);
  }
}

/**
 * A command by itself, or the messages of one sender up to the next command or sender. What was one turn before, and was
 * cut off, is the same turn again: what it has shown may answer all of it.
 */
function takeTurn(items: LaneItem[]): LaneItem[] {
  if (items[0]?.command) return items.splice(0, 1);
  const turnId = items[0]?.row.turnId;
  const end = items.findIndex(({ command, row }) => command || row.turnId !== turnId);
  const plain = end === -1 ? items : items.slice(0, end);
  const [first] = mergeWaiting(
    plain.map((item) => ({ senderId: senderOf(item.row), text: item.row.message.text, media: [], item })),
  );
  return items.splice(0, first?.messages.length ?? 0);
}

/** A direct chat has one person, named or not. */
function authorOf({ message: { origin } }: InboxRow): string | null {
  const { userIdAlt, userId, chatType, chatId } = origin;
  return userIdAlt ?? userId ?? (chatType === "dm" ? (chatId ?? "") : null);
}

/** A program waits for the answer to each of its requests: they are never joined. */
function senderOf({ message }: InboxRow): string | null {
  return message.request ? null : (message.origin.userIdAlt ?? message.origin.userId ?? null);
}
