import type { Registry } from "prom-client";
import type { Health } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import type { Backlog } from "../store/queues.js";
import type { OpenRows, WriterStats } from "../store/store.js";
import type { Catalogue } from "./catalogue.js";
import { ReportedHistogram } from "./reported-histogram.js";

export interface MetricsSource {
  backlog(): Promise<Backlog>;
  writerStats(): Promise<WriterStats>;
  fileBytes(): Promise<{ file: string; bytes: number }[]>;
  turns(): { waiting: number; running: number };
  /** The platform of every open penalty. */
  openPenalties(): string[];
  platforms(): readonly ({ platform: string; account: string } & Health)[];
  isReady(): Promise<boolean>;
}

/** If the database is slow, the scrape returns without its gauges. */
const LOOK_MS = 2000;
const STATES: readonly Health["state"][] = ["ok", "degraded", "down"];

/** Gauges read at scrape time. Concurrent scrapes share one read. */
export class StateGauges {
  readonly #metrics: Catalogue;
  readonly #source: MetricsSource;
  readonly #commitSeconds: ReportedHistogram;
  readonly #commitWrites: ReportedHistogram;
  #looking: Promise<void> | undefined;
  #seen = { failures: 0, lockWaits: 0 };

  constructor(metrics: Catalogue, registry: Registry, source: MetricsSource) {
    this.#metrics = metrics;
    this.#source = source;
    this.#commitSeconds = new ReportedHistogram(
      "hermes_store_commit_seconds",
      "Transactions of the database's writer, from their begin to the disk",
      registry,
    );
    this.#commitWrites = new ReportedHistogram(
      "hermes_store_commit_writes",
      "Writes that shared one transaction",
      registry,
    );
  }

  refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    this.#readMemory();
    const { backlog, writerStats, fileBytes, isReady } = this.#source;
    const reports = Promise.all([
      backlog().then((found) => this.#readBacklog(found)),
      writerStats().then((stats) => this.#readWriter(stats)),
      fileBytes().then((files) => {
        for (const { file, bytes } of files) this.#metrics.storeBytes.set({ file }, bytes);
      }),
      isReady().then((ready) => this.#metrics.ready.set(ready ? 1 : 0)),
    ]).then(() => true);
    const inTime = await Promise.race([reports.catch(() => false), after(LOOK_MS)]);
    if (!inTime) this.#metrics.scrapeProblems.inc();
  }

  #readMemory(): void {
    const { turnsRunning, turnsQueued, penaltiesOpen, platformState, platformProofAge } = this.#metrics;
    const { waiting, running } = this.#source.turns();
    turnsRunning.set(running);
    turnsQueued.set(waiting);
    penaltiesOpen.reset();
    platformProofAge.reset();
    for (const { platform, account, ...health } of this.#source.platforms()) {
      penaltiesOpen.set({ platform }, 0);
      for (const state of STATES)
        platformState.set({ platform, account, state }, state === health.state ? 1 : 0);
      if (health.lastProofAt !== null)
        platformProofAge.set({ platform, account }, Math.max(0, nowSeconds() - health.lastProofAt));
    }
    for (const platform of this.#source.openPenalties()) penaltiesOpen.inc({ platform });
  }

  #readBacklog({ inbox, outbox, ready }: Backlog): void {
    const metrics = this.#metrics;
    for (const [state, rows] of Object.entries(inbox)) {
      metrics.inbox.set({ state }, rows.count);
      metrics.inboxOldest.set({ state }, ageOf(rows));
    }
    for (const [state, rows] of Object.entries(outbox)) {
      metrics.outbox.set({ state }, rows.count);
      metrics.outboxOldest.set({ state }, ageOf(rows));
    }
    metrics.inboxReadyOldest.set(ageOf({ oldestAt: ready.inbox?.at ?? null }));
  }

  #readWriter(stats: WriterStats): void {
    const { storeFailures, storeLockWaits, storeWaiting, storeStalled } = this.#metrics;
    this.#commitSeconds.report(stats.commitSeconds);
    this.#commitWrites.report(stats.commitWrites);
    storeFailures.inc(stats.failures - this.#seen.failures);
    storeLockWaits.inc(stats.lockWaits - this.#seen.lockWaits);
    this.#seen = stats;
    storeWaiting.set(stats.waiting);
    storeStalled.set(stats.waitingSeconds);
  }
}

function ageOf({ oldestAt }: Pick<OpenRows, "oldestAt">): number {
  return oldestAt === null ? 0 : Math.max(0, nowSeconds() - oldestAt);
}

function after(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}
