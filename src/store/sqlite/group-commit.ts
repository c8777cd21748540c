import type { Database, Statement } from "better-sqlite3";
import type { Progress, WriterStats } from "../store.js";
import { WAL_PAGES } from "./checkpoints.js";
import { CommitStats } from "./commit-stats.js";
import { isBusy } from "./faults.js";
import type { WalPages } from "./optimize.js";
import { QuietMerge } from "./quiet-merge.js";
import type { CheckpointDue } from "./thread.js";
import type { Mode } from "./verb.js";

/**
 * Runs all pending writes in one transaction, so that they share one fsync. Each runs in its own savepoint: a failed
 * one rolls back only its own changes. Long work is a generator: every `yield` commits what it did so far, and other
 * writes run before it continues.
 */
export type Work<T> = () => T | Generator<Progress, T>;

export interface Job {
  work: Work<unknown>;
  /** Work that can't run inside a transaction (VACUUM). */
  alone?: boolean;
  /** Not urgent: it joins the next group, or gets its own after this time. */
  waitMs?: number | undefined;
  /** Called with the result before the commit, which then waits a moment for the writes that follow from it. */
  early?(value: unknown): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  progress?(progress: Progress): void;
}

interface Running extends Job {
  generator?: Generator<Progress, unknown>;
}

const MAX_GROUP = 256;
/** How long work that isn't urgent waits for the next group. Each commit costs an fsync. */
const WAIT_MS: Partial<Record<Mode, number>> = { lateWrite: 1 };
/** How long a commit waits for the writes that follow from early results. Other processes wait for the lock meanwhile. */
const HOLD_MS = 1;
/** Pause between two parts of long work. SQLite has no queue for its lock: other processes poll for it. */
const BREATH_MS = 10;
/** Without a commit for this long, the remaining pages are checkpointed. */
const QUIET_MS = 2000;
/** Short retries first: SQLite's own growing delays stall a writer far longer. */
const RETRY_FIRST_MS = 1;
const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 150;
const SHORT_RETRIES = 200;

/**
 * Before these retries the thread itself sleeps, because timers are too coarse: another process's commit takes about a
 * millisecond. Shorter sleeps don't get the lock sooner, but each failed attempt takes CPU from the process that has it.
 */
const MAX_NAPS = 8;
const MIN_NAP_MS = 0.5;
const MAX_NAP_MS = 1;
const neverWoken = new Int32Array(new SharedArrayBuffer(4));

export class GroupCommit {
  readonly #db: Database;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #savepoint: Statement;
  readonly #release: Statement;
  /** Runs the checkpoint elsewhere, so that the next commit doesn't wait for it. */
  readonly #checkpointDue: (due: CheckpointDue) => void;
  /** Early results go out before the commit, which takes the thread for a millisecond. */
  readonly #sendEarly: () => void;
  #quiet: NodeJS.Timeout | undefined;
  readonly #quietMerge: QuietMerge;
  readonly #stats = new CommitStats();
  #waiting: Running[] = [];
  /** A transaction whose commit waits for more. */
  #open: OpenGroup | undefined;
  /** Long work that pauses for other writes. */
  #breathing = 0;
  #scheduled = false;
  #late: { timer: NodeJS.Timeout; dueMs: number } | undefined;
  #ending = false;
  #retries = 0;
  readonly #walPages: Statement;
  readonly #totalChanges: Statement;
  #changes = 0;

  constructor(
    db: Database,
    checkpointDue: (due: CheckpointDue) => void,
    sendEarly: () => void = () => undefined,
  ) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#savepoint = db.prepare("SAVEPOINT job");
    this.#release = db.prepare("RELEASE job");
    // Looks without moving anything.
    this.#walPages = db.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#totalChanges = db.prepare("SELECT total_changes()").pluck();
    this.#checkpointDue = checkpointDue;
    this.#sendEarly = sendEarly;
    this.#quietMerge = new QuietMerge(db, () => this.#checkpoint());
  }

  /**
   * Jobs that arrive together form one group. It starts at once: waiting for the next tick would only add delay. Only work
   * that isn't urgent waits a moment for the next group.
   */
  add(...jobs: Job[]): void {
    if (jobs.length === 0) return;
    if (this.#waiting.length === 0) this.#stats.waits();
    this.#waiting.push(...jobs);
    if (this.#scheduled) return;
    const waitMs = this.#ending ? 0 : Math.min(...this.#waiting.map((job) => job.waitMs ?? 0));
    if (waitMs > 0) this.#runIn(waitMs);
    else this.#runLate();
  }

  #runIn(waitMs: number): void {
    const dueMs = performance.now() + waitMs;
    if (this.#late && this.#late.dueMs <= dueMs) return;
    clearTimeout(this.#late?.timer);
    this.#late = { timer: setTimeout(() => this.#runLate(), waitMs), dueMs };
  }

  /** From now on nothing waits for another group. */
  hurry(): void {
    this.#ending = true;
    if (this.#late) this.#runLate();
  }

  stats(): WriterStats {
    return this.#stats.read(this.#waiting.length + (this.#open?.outcomes.length ?? 0));
  }

  /** Resolves when no write is pending. */
  async end(): Promise<void> {
    this.#quietMerge.stop();
    this.hurry();
    while (this.#open || this.#waiting.length + this.#breathing > 0)
      await new Promise((resolve) => setTimeout(resolve, 2));
  }

  #runLate(): void {
    clearTimeout(this.#late?.timer);
    this.#late = undefined;
    if (!this.#scheduled) this.#run();
  }

  #run(): void {
    this.#runGroup();
    this.#schedule();
  }

  #schedule(delayMs?: number): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    const next = () => {
      this.#scheduled = false;
      this.#run();
    };
    if (delayMs === undefined) setImmediate(next);
    else setTimeout(next, delayMs);
  }

  #runGroup(): void {
    if (this.#waiting[0]?.alone) {
      this.#commitOpen();
      this.#runAlone();
      return;
    }
    const open = this.#open ?? this.#openGroup();
    if (!open) return;
    const alone = this.#waiting.findIndex((job) => job.alone);
    const group = this.#waiting.splice(0, Math.min(MAX_GROUP, alone === -1 ? MAX_GROUP : alone));
    try {
      // A single job needs no savepoint: it owns the transaction.
      if (open.outcomes.length === 0 && group.length === 1 && !group[0]!.early)
        open.outcomes.push(this.#runOnly(group[0]!));
      else for (const job of group) open.outcomes.push(tellEarly(this.#runOne(job)));
    } catch (error) {
      this.#rollBack([...open.outcomes.map(({ job }) => job), ...group], error);
      return;
    }
    this.#sendEarly();
    for (const { early, waitMs } of group) open.expected += early ? 1 : waitMs ? 0 : -1;
    if (open.expected <= 0 || open.outcomes.length >= MAX_GROUP) this.#commitOpen();
    else open.timer ??= setTimeout(() => this.#commitOpen(), HOLD_MS);
  }

  /** Undefined: another process holds the lock. */
  #openGroup(): OpenGroup | undefined {
    const startedMs = performance.now();
    if (!this.#attempt(() => this.#beginSoon())) return undefined;
    this.#open = { startedMs, outcomes: [], expected: 0, timer: undefined };
    return this.#open;
  }

  #commitOpen(): void {
    const open = this.#open;
    if (!open) return;
    try {
      this.#commit.run();
    } catch (error) {
      this.#rollBack(
        open.outcomes.map(({ job }) => job),
        error,
      );
      return;
    }
    this.#closeGroup();
    this.#stats.committed(open.outcomes.length, open.startedMs);
    for (const outcome of open.outcomes) this.#settle(outcome);
    // An idle gateway polls for due deliveries every second: such a transaction changes nothing.
    if (!this.#hasChanged()) return;
    this.#quietMerge.committed();
    this.#checkpoint();
  }

  #rollBack(jobs: Iterable<Running>, error: unknown): void {
    this.#closeGroup();
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    this.#stats.failed();
    for (const job of new Set(jobs)) job.reject(error);
  }

  #closeGroup(): void {
    clearTimeout(this.#open?.timer);
    this.#open = undefined;
  }

  #hasChanged(): boolean {
    const changes = this.#totalChanges.get() as number;
    const before = this.#changes;
    this.#changes = changes;
    return changes !== before;
  }

  /** Waits a few milliseconds for another process's commit. Later retries, by timer, don't sleep. */
  #beginSoon(): void {
    for (let naps = 0; ; naps += 1) {
      try {
        this.#begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || naps === MAX_NAPS || this.#retries > 0) throw error;
        if (naps === 0) this.#stats.lockHeld();
        Atomics.wait(neverWoken, 0, 0, MIN_NAP_MS + Math.random() * (MAX_NAP_MS - MIN_NAP_MS));
      }
    }
  }

  #runOnly(job: Running): Outcome {
    return { job, step: advance(job) };
  }

  #runOne(job: Running): Outcome {
    this.#savepoint.run();
    try {
      const step = advance(job);
      this.#release.run();
      return { job, step };
    } catch (error) {
      // A full disk or an I/O error rolls back the whole transaction: then the whole group fails.
      if (!this.#db.inTransaction) throw error;
      this.#db.exec("ROLLBACK TO job; RELEASE job");
      return { job, error };
    }
  }

  #settle(outcome: Outcome): void {
    const { job } = outcome;
    if ("error" in outcome) {
      job.reject(outcome.error);
    } else if (outcome.step.done) {
      job.resolve(outcome.step.value);
    } else {
      job.progress?.(outcome.step.value);
      this.#goOnLater(job);
    }
  }

  #goOnLater(job: Running): void {
    this.#breathing += 1;
    setTimeout(() => {
      this.#breathing -= 1;
      this.add(job);
    }, BREATH_MS);
  }

  #runAlone(): void {
    let value: unknown;
    const done = this.#attempt(() => {
      value = this.#waiting[0]!.work();
    });
    if (done) this.#waiting.shift()!.resolve(value);
  }

  /** False when another process holds the lock: everything stays queued and is retried soon. */
  #attempt(attempt: () => void): boolean {
    try {
      attempt();
      this.#retries = 0;
      return true;
    } catch (error) {
      if (isBusy(error)) {
        this.#retries += 1;
        this.#stats.lockHeld();
        this.#schedule(retryDelayMs(this.#retries));
      } else {
        this.#stats.failed();
        this.#waiting.shift()?.reject(error);
      }
      return false;
    }
  }

  #checkpoint(): void {
    const pages = this.#pagesToCheckpoint();
    if (pages >= WAL_PAGES) this.#checkpointDue({ pages });
    this.#quiet ??= setTimeout(() => this.#checkpointDue("quiet"), QUIET_MS).unref();
    this.#quiet.refresh();
  }

  #pagesToCheckpoint(): number {
    try {
      const { log, checkpointed } = this.#walPages.get() as WalPages;
      return log - checkpointed;
    } catch {
      // The commit succeeded. If the WAL is really damaged, the checkpoint fails, and the next commit reports it.
      return Number.MAX_SAFE_INTEGER;
    }
  }
}

interface OpenGroup {
  startedMs: number;
  outcomes: Outcome[];
  /** Writes that follow from early results and haven't arrived. */
  expected: number;
  timer: NodeJS.Timeout | undefined;
}

type Outcome = { job: Running; step: IteratorResult<Progress, unknown> } | { job: Running; error: unknown };

function tellEarly(outcome: Outcome): Outcome {
  if ("step" in outcome && outcome.step.done) outcome.job.early?.(outcome.step.value);
  return outcome;
}

function advance(job: Running): IteratorResult<Progress, unknown> {
  if (!job.generator) {
    const result = job.work();
    if (!isGenerator(result)) return { done: true, value: result };
    job.generator = result;
  }
  return job.generator.next();
}

export function isGenerator(value: unknown): value is Generator<Progress, unknown> {
  return typeof (value as Generator | null)?.next === "function";
}

export const waitMsOf = (mode: Mode | undefined) => mode && WAIT_MS[mode];

export function retryDelayMs(retries: number, random: () => number = Math.random): number {
  if (retries <= SHORT_RETRIES) return RETRY_FIRST_MS + random();
  return RETRY_MIN_MS + random() * (RETRY_MAX_MS - RETRY_MIN_MS);
}
