import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { nowSeconds } from "../../clock.js";
import { repeatsOnly } from "../../rules.js";
import type { Stats, Throughput } from "../../store/reports.js";
import { startOfDay, systemTimeZone } from "./day.js";
import type { DashboardOptions } from "./options.js";
import { problemsOf } from "./problems.js";
import { Surroundings } from "./surroundings.js";
import type { Overview } from "./types.js";

const COUNTS_MS = 15_000;

type Counts = Pick<Overview, "totals" | "today">;

/** The gateway's current state. */
export class OverviewSource {
  readonly #options: DashboardOptions;
  readonly #surroundings: Surroundings;
  readonly #hour = new LastHour();
  readonly #delay = new LoopDelay();
  #counts: { at: number; value: Promise<Counts> } | undefined;

  constructor(options: DashboardOptions) {
    this.#options = options;
    this.#surroundings = new Surroundings(options);
  }

  async read(): Promise<Overview> {
    const { reports, gateway, mcpServers, loaded, home, version, startedAt, notReady, keyFault } =
      this.#options;
    const now = nowSeconds();
    const [depths, counts, faults, surroundings] = await Promise.all([
      reports.queueDepths(this.#hour.since(now)),
      this.#count(),
      notReady(),
      this.#surroundings.read(),
    ]);
    const hour = this.#hour.read(now, depths.byMinute);
    const { rss, heapUsed, heapTotal } = process.memoryUsage();
    const { inbox, outbox, oldestWaiting, oldestPending, marks, lastMinute, pairings, questions } = depths;
    const { provider, default: model } = loaded.config.model;
    const state = {
      queues: { inbox, outbox, oldestWaiting, oldestPending },
      platforms: gateway.health(),
      mcpServers: mcpServers(),
    };
    const isEcho = repeatsOnly(loaded.config);
    return {
      at: nowSeconds(),
      gateway: { version, node: process.version, startedAt, home, provider, model: model ?? provider },
      lastMinute,
      hour,
      ...state,
      problems: problemsOf({
        ...{ ...state, notReady: faults, isEcho, keyFault: keyFault(), ...surroundings },
        databaseBytes: counts.totals.databaseBytes,
      }),
      turns: gateway.depth,
      process: {
        rssBytes: rss,
        heapUsedBytes: heapUsed,
        heapTotalBytes: heapTotal,
        loopDelayMs: this.#delay.read(),
      },
      ...counts,
      pairings,
      questions,
      marks,
    };
  }

  /** Cached, because counting all messages is slow. */
  #count(): Promise<Counts> {
    if (!this.#counts || performance.now() - this.#counts.at > COUNTS_MS) {
      const { reports, loaded } = this.#options;
      const since = startOfDay(nowSeconds(), loaded.config.timezone ?? systemTimeZone());
      const value = reports
        .stats(since)
        .then((stats) => ({ totals: totalsOf(stats), today: todayOf(stats, since) }));
      const counts = { at: performance.now(), value };
      this.#counts = counts;
      value.catch(() => {
        if (this.#counts === counts) this.#counts = undefined;
      });
    }
    return this.#counts.value;
  }

  close(): void {
    this.#delay.close();
  }
}

const totalsOf = ({ sessions, archived, messages, databaseBytes }: Stats): Overview["totals"] => ({
  sessions: sessions + archived,
  messages,
  databaseBytes,
});

const todayOf = ({ turns }: Stats, since: number): Overview["today"] => ({
  ...{ since, platforms: [], models: [], total: NONE },
  ...turns,
});

const NONE = { turns: 0, failed: 0, answerSeconds: { p50: null, p95: null }, tokens: 0, costUsd: 0 };

const MINUTES = 60;

/** Past minutes don't change, so only the newest ones are read again. */
class LastHour {
  readonly #handled = new Map<number, number>();
  readonly #sent = new Map<number, number>();
  /** The counts of all minutes before this one are final. */
  #knownTo = 0;

  /** The time from which to read counts. */
  since(now: number): number {
    return Math.max(firstMinute(now), this.#knownTo) * 60;
  }

  read(now: number, { handled, sent }: Throughput): Overview["hour"] {
    const from = firstMinute(now);
    for (const [at, count] of handled) this.#handled.set(at, count);
    for (const [at, count] of sent) this.#sent.set(at, count);
    // A row may be committed a little later than its timestamp.
    this.#knownTo = from + MINUTES - 2;
    return { from, handled: series(this.#handled, from), sent: series(this.#sent, from) };
  }
}

const firstMinute = (now: number) => Math.floor(now / 60) - MINUTES + 1;

function series(counts: Map<number, number>, from: number): number[] {
  for (const minute of counts.keys()) if (minute < from) counts.delete(minute);
  return Array.from({ length: MINUTES }, (_, i) => counts.get(from + i) ?? 0);
}

const WINDOW_MS = 10_000;
const RESOLUTION_MS = 20;

/** Measures from the first read on: until someone looks, it would only wake the process. */
class LoopDelay {
  #histogram: IntervalHistogram | undefined;
  #since = performance.now();
  #last = { p50: 0, p99: 0, max: 0 };

  read(): Overview["process"]["loopDelayMs"] {
    if (!this.#histogram) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#histogram.enable();
    }
    const histogram = this.#histogram;
    if (histogram.count === 0) return this.#last;
    // The histogram records whole timer intervals: only the part above the resolution is delay.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    this.#last = {
      p50: late(histogram.percentile(50)),
      p99: late(histogram.percentile(99)),
      max: late(histogram.max),
    };
    if (performance.now() - this.#since > WINDOW_MS) {
      histogram.reset();
      this.#since = performance.now();
    }
    return this.#last;
  }

  close(): void {
    this.#histogram?.disable();
  }
}
