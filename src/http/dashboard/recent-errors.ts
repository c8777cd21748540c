import { BoundedMap } from "../../bounded-map.js";
import { nowSeconds } from "../../clock.js";
import { isAtLeast, type LogFields, parseLine } from "../../log-lines.js";
import { startOf } from "../../text-limits.js";
import type { RecentError } from "./operations-types.js";

const MAX_PLATFORMS = 200;
const MAX_ERRORS = 20;
const MAX_TEXT = 1000;

/** The latest warnings and errors of each platform, from the log. */
export class RecentErrors {
  readonly #errors = new BoundedMap<string, (RecentError & { account: string | null })[]>(MAX_PLATFORMS);

  take(line: string): void {
    // Skips the parsing of most lines.
    if (!line.includes('"warn"') && !line.includes('"error"')) return;
    const entry = parseLine(line);
    if (!entry || !isAtLeast(entry, "warn") || typeof entry.platform !== "string") return;
    const error = errorOf(entry);
    const [last, ...before] = this.#errors.get(entry.platform) ?? [];
    const isRepeat = last?.text === error.text && last.account === error.account;
    const all = isRepeat
      ? [{ ...error, count: last.count + 1 }, ...before]
      : [error, ...(last ? [last] : []), ...before];
    this.#errors.set(entry.platform, all.slice(0, MAX_ERRORS));
  }

  /** A bot's errors and those of its whole platform, latest first. */
  of(platform: string, account: string): RecentError[] {
    const all = this.#errors.get(platform) ?? [];
    return all
      .filter((error) => error.account === null || error.account === account)
      .map(({ account: _, ...error }) => error);
  }
}

function errorOf(entry: LogFields): RecentError & { account: string | null } {
  const { level, time, msg, reason, err, account, traceId } = entry;
  const why = typeof reason === "string" ? reason : messageOf(err);
  const at = Date.parse(String(time)) / 1000;
  return {
    at: Number.isNaN(at) ? nowSeconds() : at,
    level: level === "error" ? "error" : "warn",
    text: startOf(why === undefined ? String(msg) : `${String(msg)}: ${why}`, MAX_TEXT),
    count: 1,
    account: typeof account === "string" ? account : null,
    traceId: typeof traceId === "string" ? traceId : null,
  };
}

function messageOf(error: unknown): string | undefined {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : undefined;
}
