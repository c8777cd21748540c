import { nowSeconds } from "../../clock.js";
import { dateFormat } from "../../date-format.js";
import type { Reports, UsageRow } from "../../store/reports.js";
import type { UsageAnswer, UsageSums } from "./types.js";

const DAY_SECONDS = 86_400;
/** Read by so many days at once, so that a year doesn't keep others waiting in one piece. */
const CHUNK_DAYS = 14;
/** Sessions of days long gone hardly change. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 64;
/** Label for rows whose column is empty. */
const NO_MODEL = "unknown";

/** Usage by day and platform or model. */
export class UsageSource {
  readonly #reports: Reports;
  readonly #timeZone: string;
  readonly #kept = new Map<number, { at: number; rows: Promise<UsageRow[]> }>();

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
    // A day more than asked for: where the first day begins there is for the rows to say.
    const first = Math.floor((now / DAY_SECONDS - count - 1) / CHUNK_DAYS);
    for (let chunk = first; chunk * CHUNK_DAYS * DAY_SECONDS <= now; chunk += 1)
      rows.push(...(await this.#chunk(chunk, now)));
    const nameOf = { platform: (row: UsageRow) => row.source, model: modelOf };
    const wanted = rows.filter(
      (row) =>
        row.day >= days[0]! &&
        (only.source === undefined || row.source === only.source) &&
        (only.model === undefined || modelOf(row) === only.model),
    );
    return {
      days,
      timeZone: this.#timeZone,
      total: sumOf(wanted),
      byDay: grouped(wanted, (row) => ({ day: row.day, name: nameOf[by](row) })),
      platforms: grouped(wanted, (row) => ({ name: row.source })).toSorted(byWeight),
      models: grouped(wanted, (row) => ({ name: modelOf(row) })).toSorted(byWeight),
    };
  }

  #chunk(chunk: number, now: number): Promise<UsageRow[]> {
    const since = chunk * CHUNK_DAYS * DAY_SECONDS;
    const until = since + CHUNK_DAYS * DAY_SECONDS;
    const read = () => this.#reports.usage({ since, until, timeZone: this.#timeZone });
    if (until > now - 2 * DAY_SECONDS) return read();
    const kept = this.#kept.get(chunk);
    if (kept && performance.now() - kept.at < KEPT_MS) return kept.rows;
    const rows = read();
    this.#kept.delete(chunk);
    this.#kept.set(chunk, { at: performance.now(), rows });
    rows.catch(() => this.#kept.delete(chunk));
    // The oldest goes first: Map keeps the order of insertion.
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return rows;
  }
}

const modelOf = (row: UsageRow) => row.model ?? NO_MODEL;

/** `2026-06-16` of every day up to today there. Swedish dates are ISO dates. */
function lastDays(count: number, timeZone: string): string[] {
  const today = dateFormat("sv-SE", { timeZone, dateStyle: "short" }).format(new Date());
  const end = Date.parse(`${today}T00:00:00Z`);
  return Array.from({ length: count }, (_, i) =>
    new Date(end - (count - 1 - i) * DAY_SECONDS * 1000).toISOString().slice(0, 10),
  );
}

function grouped<K extends object>(rows: readonly UsageRow[], keyOf: (row: UsageRow) => K) {
  const groups = new Map<string, { key: K; rows: UsageRow[] }>();
  for (const row of rows) {
    const key = keyOf(row);
    const name = JSON.stringify(key);
    const group = groups.get(name);
    if (group) group.rows.push(row);
    else groups.set(name, { key, rows: [row] });
  }
  return [...groups.values()].map((group) => ({ ...group.key, ...sumOf(group.rows) }));
}

function sumOf(rows: readonly UsageSums[]): UsageSums {
  const sum = (of: keyof UsageSums) => rows.reduce((total, row) => total + row[of], 0);
  return {
    sessions: sum("sessions"),
    messages: sum("messages"),
    toolCalls: sum("toolCalls"),
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cacheTokens: sum("cacheTokens"),
    apiCalls: sum("apiCalls"),
    costUsd: sum("costUsd"),
  };
}

const byWeight = (a: UsageSums, b: UsageSums) =>
  b.inputTokens + b.outputTokens - (a.inputTokens + a.outputTokens) || b.messages - a.messages;
