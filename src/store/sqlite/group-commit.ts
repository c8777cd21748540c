import type { Database, Statement } from "better-sqlite3";
import type { Progress, WriterStats } from "../store.js";
import { CommitStats } from "./commit-stats.js";
import { isBusy } from "./faults.js";
import { QuietMerge } from "./quiet-merge.js";
import type { CheckpointDue } from "./thread.js";

/**
 * Writes that wait at the same moment → one transaction, so that they share one fsync. Each runs in a savepoint of
 * its own: one that fails takes back its own changes only. Long work is a generator: every `yield` ends its part of
 * the transaction, and others get their turn before it goes on.
 */
export type Work<T> = () => T | Generator<Progress, T>;

export interface Job {
  work: Work<unknown>;
  /** Work that can't run inside a transaction (VACUUM). */
  alone?: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  progress?(progress: Progress): void;
}

interface Running extends Job {
  generator?: Generator<Progress, unknown>;
}

const GROUP_MAX = 256;
/** Between two parts of long work other processes get the lock too: they don't queue for it, they come by. */
const BREATH_MS = 10;
const COMMITS_PER_CHECKPOINT = 50;
/** So long without a commit, and the last ones may be checkpointed without being in anybody's way. */
const QUIET_MS = 2000;
/** Short waits first: beside other writers they stall far less than SQLite's own growing naps. */
const RETRY_FIRST_MS = 1;
const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 150;
const SHORT_RETRIES = 200;

/** Before that the thread itself sleeps, for less than timers can: a commit takes about a millisecond. */
const NAPS_MAX = 20;
const NAP_MIN_MS = 0.1;
const NAP_MAX_MS = 0.3;
const neverWoken = new Int32Array(new SharedArrayBuffer(4));

export class GroupCommit {
  readonly #db: Database;
  readonly #begin: Statement;
  readonly #commit: Statement;
  /** A checkpoint is due: somebody should make one, and not in the way of the next commit. */
  readonly #checkpointDue: (due: CheckpointDue) => void;
  #quiet: NodeJS.Timeout | undefined;
  readonly #quietMerge: QuietMerge;
  readonly #stats = new CommitStats();
  #waiting: Running[] = [];
  /** Long work that lets others in for a moment. */
  #breathing = 0;
  #scheduled = false;
  #retries = 0;
  #commits = 0;
  readonly #totalChanges: Statement;
  #changes = 0;

  constructor(db: Database, checkpointDue: (due: CheckpointDue) => void) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#totalChanges = db.prepare("SELECT total_changes()").pluck();
    this.#checkpointDue = checkpointDue;
    this.#quietMerge = new QuietMerge(db, () => this.#checkpoint());
  }

  /** Jobs that arrive together go into one group, at once: whoever waits for the next tick waits twice. */
  add(...jobs: Job[]): void {
    if (jobs.length === 0) return;
    if (this.#waiting.length === 0) this.#stats.waits();
    this.#waiting.push(...jobs);
    if (!this.#scheduled) this.#run();
  }

  stats(): WriterStats {
    return this.#stats.read(this.#waiting.length);
  }

  /** Resolves when nothing waits any more. */
  async end(): Promise<void> {
    this.#quietMerge.stop();
    while (this.#waiting.length + this.#breathing > 0) await new Promise((resolve) => setTimeout(resolve, 2));
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
      this.#runAlone();
      return;
    }
    const startedMs = performance.now();
    if (!this.#attempt(() => this.#beginSoon())) return;
    const alone = this.#waiting.findIndex((job) => job.alone);
    const group = this.#waiting.splice(0, Math.min(GROUP_MAX, alone === -1 ? GROUP_MAX : alone));
    let outcomes: Outcome[];
    try {
      // Alone, a job needs no savepoint: the transaction is its own.
      outcomes = group.length === 1 ? [this.#runOnly(group[0]!)] : group.map((job) => this.#runOne(job));
      this.#commit.run();
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      this.#stats.failed();
      for (const job of group) job.reject(error);
      return;
    }
    this.#stats.committed(group.length, startedMs);
    for (const outcome of outcomes) this.#settle(outcome);
    // An idle gateway asks every second whether there is something to send: that leaves nothing to tidy up.
    if (!this.#hasChanged()) return;
    this.#quietMerge.committed();
    this.#checkpoint();
  }

  #hasChanged(): boolean {
    const changes = this.#totalChanges.get() as number;
    const before = this.#changes;
    this.#changes = changes;
    return changes !== before;
  }

  /** Waits a few milliseconds for another process's commit. Retries that come later, by a timer, don't. */
  #beginSoon(): void {
    for (let naps = 0; ; naps += 1) {
      try {
        this.#begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || naps === NAPS_MAX || this.#retries > 0) throw error;
        if (naps === 0) this.#stats.lockHeld();
        Atomics.wait(neverWoken, 0, 0, NAP_MIN_MS + Math.random() * (NAP_MAX_MS - NAP_MIN_MS));
      }
    }
  }

  #runOnly(job: Running): Outcome {
    return { job, step: advance(job) };
  }

  #runOne(job: Running): Outcome {
    this.#db.exec("SAVEPOINT job");
    try {
      const step = advance(job);
      this.#db.exec("RELEASE job");
      return { job, step };
    } catch (error) {
      // A full disk or an I/O error ends the whole transaction: then the group fails as one.
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

  /** False when it has to wait for another process: everything stays queued and is tried again soon. */
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
    this.#commits += 1;
    if (this.#commits % COMMITS_PER_CHECKPOINT === 0) this.#checkpointDue("commits");
    this.#quiet ??= setTimeout(() => this.#checkpointDue("quiet"), QUIET_MS).unref();
    this.#quiet.refresh();
  }
}

type Outcome = { job: Running; step: IteratorResult<Progress, unknown> } | { job: Running; error: unknown };

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

export function retryDelayMs(retries: number, random: () => number = Math.random): number {
  if (retries <= SHORT_RETRIES) return RETRY_FIRST_MS + random();
  return RETRY_MIN_MS + random() * (RETRY_MAX_MS - RETRY_MIN_MS);
}
