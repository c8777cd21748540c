import { setImmediate as immediately } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { OnProgress, Progress, WriterStats } from "../store.js";
import { answerRead, verbNamed } from "./answer-read.js";
import { monotonicMs } from "./deadline.js";
import { BULK_MS, type Engine, type EngineOptions, withoutListener } from "./engine.js";
import { notAdopted } from "./foreign.js";
import { GroupCommit, type Job, waitMsOf } from "./group-commit.js";
import { openReader, openWriter } from "./opening.js";
import { checkpoint, restartLog } from "./optimize.js";
import { modes } from "./verbs.js";
import { fromWire, MAX_PENDING, storeClosed, tooManyPending, toWire } from "./wire-error.js";

const WAL_PAGES = 1000;

/** Runs the verbs on the calling thread, for short-lived programs: starting a thread takes longer than they run. */
export class InThreadEngine implements Engine {
  readonly modes = modes;
  readonly #options: EngineOptions;
  /** Undefined for a read-only file. */
  readonly #writer: Database | undefined;
  readonly #commits: GroupCommit | undefined;
  #reader: Promise<Database> | undefined;
  #arrived: Job[] = [];
  readonly #pending = new Set<Promise<unknown>>();
  #alone: Promise<unknown> | undefined;
  #closed = false;

  private constructor(options: EngineOptions, writer: Database | undefined) {
    this.#options = options;
    this.#writer = writer;
    if (writer) this.#commits = new GroupCommit(writer, () => this.#checkpointDue());
  }

  static async open(options: EngineOptions): Promise<InThreadEngine> {
    try {
      return new InThreadEngine(options, await openWriter(options));
    } catch (error) {
      throw fromWire(toWire(error, options.path));
    }
  }

  call(verb: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(storeClosed());
    if (this.#pending.size >= MAX_PENDING) return Promise.reject(tooManyPending());
    const { plain, onProgress } = withoutListener(args);
    // Copied as for a thread, so that later changes by the caller have no effect.
    const given = structuredClone(plain);
    const answer = this.#run(verb, given, onProgress).catch((error: unknown) =>
      Promise.reject(fromWire(toWire(error, this.#options.path))),
    );
    this.#pending.add(answer);
    const settled = () => void this.#pending.delete(answer);
    answer.then(settled, settled);
    return answer;
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone) await this.#alone;
    const done = this.#endReader().then(work);
    const over = done.then(
      () => undefined,
      () => undefined,
    );
    this.#alone = over;
    await over;
    this.#alone = undefined;
    return done;
  }

  async writerStats(): Promise<WriterStats> {
    if (!this.#commits) throw notAdopted(this.#options.path);
    return structuredClone(this.#commits.stats());
  }

  /** Closes after all earlier calls are answered. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#commits?.hurry();
    await Promise.allSettled(this.#pending);
    await this.#commits?.end();
    await this.#endReader();
    this.#writer?.close();
  }

  #run(verb: string, args: readonly unknown[], onProgress?: OnProgress): Promise<unknown> {
    switch (modes[verb]) {
      case "read":
        return this.#read(verb, args, this.#options.limits.shortMs);
      case "longRead":
        return this.#read(verb, args, this.#options.limits.longMs);
      case "bulkRead":
        return this.#read(verb, args, BULK_MS);
      case "apart":
        return this.#apart(verb, args, onProgress);
      default:
        return this.#write(verb, args, onProgress);
    }
  }

  /** Calls of the same tick share a transaction. */
  #write(name: string, args: readonly unknown[], onProgress?: OnProgress): Promise<unknown> {
    const db = this.#writer;
    const commits = this.#commits;
    if (!db || !commits) return Promise.reject(notAdopted(this.#options.path));
    const verb = verbNamed(name);
    const work = verb as unknown as (db: Database, ...args: readonly unknown[]) => unknown;
    return new Promise((resolve, reject) => {
      const alone = verb.mode === "exclusive";
      const early = onProgress && ((value: unknown) => queueMicrotask(() => onProgress(value as Progress)));
      this.#arrived.push({
        work: () => work(db, ...args),
        alone,
        waitMs: waitMsOf(verb.mode),
        ...(early && verb.mode === "earlyWrite" ? { early } : {}),
        resolve,
        reject,
        ...(onProgress ? { progress: onProgress } : {}),
      });
      if (this.#arrived.length > 1) return;
      setImmediate(() => {
        const jobs = this.#arrived;
        this.#arrived = [];
        commits.add(...jobs);
      });
    });
  }

  async #read(verb: string, args: readonly unknown[], limitMs: number): Promise<unknown> {
    await immediately();
    while (this.#alone) await this.#alone;
    this.#reader ??= openReader(this.#options.path);
    const reader = await this.#reader;
    return answerRead(reader, verb, args, { deadline: monotonicMs() + limitMs });
  }

  async #apart(
    verb: string,
    args: readonly unknown[],
    onProgress: OnProgress = () => undefined,
  ): Promise<unknown> {
    await immediately();
    const db = await openReader(this.#options.path);
    try {
      return await answerRead(db, verb, args, { onProgress });
    } finally {
      db.close();
    }
  }

  async #endReader(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    (await reader?.catch(() => undefined))?.close();
  }

  /** Without threads nothing can checkpoint in parallel. Closing the file checkpoints the rest. */
  #checkpointDue(): void {
    const db = this.#writer!;
    const tidy = () => checkpoint(db).log < WAL_PAGES || restartLog(db);
    const ignore = () => undefined;
    setImmediate(() => {
      if (!this.#closed) this.#commits?.add({ work: tidy, alone: true, resolve: ignore, reject: ignore });
    });
  }
}
