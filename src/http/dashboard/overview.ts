import { monitorEventLoopDelay } from "node:perf_hooks";
import { nowSeconds } from "../../clock.js";
import type { Stats, Throughput } from "../../store/reports.js";
import type { DashboardOptions } from "./options.js";
import { problemsOf } from "./problems.js";
import type { Overview } from "./types.js";

const TOTALS_FOR_MS = 15_000;

/** How the gateway is doing at this moment. */
export class OverviewSource {
  readonly #options: DashboardOptions;
  readonly #hour = new LastHour();
  readonly #delay = new LoopDelay();
  #totals: { at: number; value: Promise<Overview["totals"]> } | undefined;

  constructor(options: DashboardOptions) {
    this.#options = options;
  }

  async read(): Promise<Overview> {
    const { reports, gateway, mcpServers, loaded, home, version, startedAt, notReady, keyFault } =
      this.#options;
    const now = nowSeconds();
    const [depths, totals, faults] = await Promise.all([
      reports.queueDepths(this.#hour.since(now)),
      this.#readTotals(),
      notReady(),
    ]);
    const hour = this.#hour.read(now, depths.byMinute);
    const { rss, heapUsed, heapTotal } = process.memoryUsage();
    const { inbox, outbox, oldestWaiting, oldestPending, marks, lastMinute, pairings } = depths;
    const { provider, default: model } = loaded.config.model;
    const state = {
      queues: { inbox, outbox, oldestWaiting, oldestPending },
      platforms: gateway.health(),
      mcpServers: mcpServers(),
    };
    const isEcho = loaded.config.agent.backend === "model" && provider === "echo";
    return {
      at: nowSeconds(),
      gateway: { version, node: process.version, startedAt, home, provider, model: model ?? provider },
      lastMinute,
      hour,
      ...state,
      problems: problemsOf({ ...state, notReady: faults, isEcho, keyFault: keyFault() }),
      turns: gateway.depth,
      process: {
        rssBytes: rss,
        heapUsedBytes: heapUsed,
        heapTotalBytes: heapTotal,
        loopDelayMs: this.#delay.read(),
      },
      totals,
      pairings,
      marks,
    };
  }

  /** Counting every message takes a moment: not for each look. */
  #readTotals(): Promise<Overview["totals"]> {
    if (!this.#totals || performance.now() - this.#totals.at > TOTALS_FOR_MS) {
      const value = this.#options.reports.stats().then(totalsOf);
      const totals = { at: performance.now(), value };
      this.#totals = totals;
      value.catch(() => {
        if (this.#totals === totals) this.#totals = undefined;
      });
    }
    return this.#totals.value;
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

const MINUTES = 60;

/** Minutes that are over don't change: only the newest ones are asked for again. */
class LastHour {
  readonly #handled = new Map<number, number>();
  readonly #sent = new Map<number, number>();
  /** Everything before this minute is known. */
  #knownTo = 0;

  /** What has to be read. */
  since(now: number): number {
    return Math.max(firstMinute(now), this.#knownTo) * 60;
  }

  read(now: number, { handled, sent }: Throughput): Overview["hour"] {
    const from = firstMinute(now);
    for (const [at, count] of handled) this.#handled.set(at, count);
    for (const [at, count] of sent) this.#sent.set(at, count);
    // A commit may come a little after the time that it carries.
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

class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #since = performance.now();
  #last = { p50: 0, p99: 0, max: 0 };

  constructor() {
    this.#histogram.enable();
  }

  read(): Overview["process"]["loopDelayMs"] {
    if (this.#histogram.count === 0) return this.#last;
    // The histogram counts whole turns of its timer: what is above its resolution is lateness.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const histogram = this.#histogram;
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
    this.#histogram.disable();
  }
}
