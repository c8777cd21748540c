import { nowSeconds } from "../../clock.js";
import { dateFormat } from "../../date-format.js";
import type { Reports, UsageRow } from "../../store/reports.js";
import { totalOf, totalsBy, type UsageTotals } from "../../store/usage-totals.js";
import type { UsageAnswer, UsageSums } from "./types.js";

const DAY_SECONDS = 86_400;
/** Days per read. A whole year in one read would block other readers. */
const CHUNK_DAYS = 14;
/** Old days are cached: their sessions rarely change. */
const CACHE_MS = 10 * 60_000;
const MAX_CACHED = 64;
/** Label for rows without a model. */
const NO_MODEL = "unknown";

/** Usage by day and platform or model. */
export class UsageSource {
  readonly #reports: Reports;
  readonly #timeZone: string;
  readonly #cache = new Map<number, { at: number; rows: Promise<UsageRow[]> }>();

  constructor(reports: Reports, timeZone: string) {
    this.#reports = reports;
    this.#timeZone = timeZone;
  }

  async read(
    count: number,
    by: "platform" | "model",
    only: { source?: string; model?: string } = {},
  ): Promise<UsageAnswer> {
    const days = lastDays(count, this.#timeZone);
    const rows: UsageRow[] = [];
    const now = nowSeconds();
    // One day more, because of time zones. The filter below drops rows before the first day.
    const first = Math.floor((now / DAY_SECONDS - count - 1) / CHUNK_DAYS);
    for (let chunk = first; chunk * CHUNK_DAYS * DAY_SECONDS <= now; chunk += 1)
      rows.push(...(await this.#chunk(chunk, now)));
    const nameOf = { platform: (row: UsageRow) => row.source, model: modelOf };
    const filtered = rows.filter(
      (row) =>
        row.day >= days[0]! &&
        (only.source === undefined || row.source === only.source) &&
        (only.model === undefined || modelOf(row) === only.model),
    );
    return {
      days,
      timeZone: this.#timeZone,
      total: shown(totalOf(filtered)),
      byDay: grouped(filtered, (row) => ({ day: row.day, name: nameOf[by](row) })),
      platforms: grouped(filtered, (row) => ({ name: row.source })).toSorted(byTokens),
      models: grouped(filtered, (row) => ({ name: modelOf(row) })).toSorted(byTokens),
    };
  }

  #chunk(chunk: number, now: number): Promise<UsageRow[]> {
    const since = chunk * CHUNK_DAYS * DAY_SECONDS;
    const until = since + CHUNK_DAYS * DAY_SECONDS;
    const read = async () => {
      const { rows } = await this.#reports.usage({ since, until, timeZone: this.#timeZone });
      return rows;
    };
    if (until > now - 2 * DAY_SECONDS) return read();
    const cached = this.#cache.get(chunk);
    if (cached && performance.now() - cached.at < CACHE_MS) return cached.rows;
    const rows = read();
    this.#cache.delete(chunk);
    this.#cache.set(chunk, { at: performance.now(), rows });
    rows.catch(() => this.#cache.delete(chunk));
    // Drops the oldest entry: a Map iterates in insertion order.
    if (this.#cache.size > MAX_CACHED) this.#cache.delete(this.#cache.keys().next().value!);
    return rows;
  }
}

const modelOf = (row: UsageRow) => row.model ?? NO_MODEL;

/** The last days in the time zone, as `2026-06-16`. Swedish dates are ISO dates. */
function lastDays(count: number, timeZone: string): string[] {
  const today = dateFormat("sv-SE", { timeZone, dateStyle: "short" }).format(new Date());
  const end = Date.parse(`${today}T00:00:00Z`);
  return Array.from({ length: count }, (_, i) =>
    new Date(end - (count - 1 - i) * DAY_SECONDS * 1000).toISOString().slice(0, 10),
  );
}

function grouped<K extends object>(rows: readonly UsageRow[], keyOf: (row: UsageRow) => K) {
  return totalsBy(rows, keyOf).map(shown);
}

/** The page shows one number for the cache, and none for reasoning. */
function shown<T extends UsageTotals>(totals: T) {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens, ...rest } = totals;
  return { ...rest, cacheTokens: cacheReadTokens + cacheWriteTokens };
}

const byTokens = (a: UsageSums, b: UsageSums) =>
  b.inputTokens + b.outputTokens - (a.inputTokens + a.outputTokens) || b.messages - a.messages;
