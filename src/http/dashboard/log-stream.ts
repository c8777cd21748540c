/** Streams the gateway's log: first the last lines, then every new line. */
import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "hono";
import { z } from "zod";
import { type LogFile, lastLines } from "../../log-file.js";
import {
  areaOf,
  fieldsText,
  isAtLeast,
  LEVELS,
  type Level,
  type LogFields,
  parseLine,
} from "../../log-lines.js";
import { startOf } from "../../text-limits.js";
import { paramsOf, text } from "../params.js";
import type { LogLine, LogLines } from "./operations-types.js";
import { type EventStream, EventStreams, type StreamOptions } from "./streams.js";

/** How much of the log files to read for the first lines. */
const MAX_READ_BYTES = 512 * 1024;
const MAX_FIRST_LINES = 300;
/** Lines that wait for a slow page. */
const MAX_WAITING = 1000;
const MAX_TEXT = 2000;
const MAX_FIELDS = 4000;
const BATCH_MS = 200;
/** An empty event after this time keeps proxies from closing the stream, and detects closed pages. */
const KEEP_ALIVE_MS = 15_000;

interface Filter {
  level: Level | undefined;
  area: string | undefined;
  text: string | undefined;
}

export class LogStream {
  readonly #file: LogFile;
  readonly #streams: EventStreams;

  constructor(file: LogFile, options: StreamOptions) {
    this.#file = file;
    this.#streams = new EventStreams(options);
  }

  serve(c: Context): Response {
    const query = paramsOf(c, { level: z.enum(LEVELS).optional(), area: text(100), text: text(200) });
    const filter = { level: query.level, area: query.area, text: query.text?.toLowerCase() };
    return this.#streams.serve(c, (stream) => this.#feed(stream, filter));
  }

  close(): void {
    this.#streams.close();
  }

  async #feed(stream: EventStream, filter: Filter): Promise<void> {
    const waiting = new WaitingLines();
    // No await until the files are read, so that no line is missed or sent twice.
    const unwatch = this.#file.watch((line) => {
      const shown = shownLine(line, filter);
      if (shown) waiting.add(shown);
    });
    try {
      const first = lastLines(this.#file.folder, MAX_READ_BYTES).flatMap(
        (line) => shownLine(line, filter) ?? [],
      );
      await stream.send("start", JSON.stringify(batch(first.slice(-MAX_FIRST_LINES), 0)));
      while (!stream.ended.aborted) {
        await waiting.untilSome(stream.ended);
        await pause(BATCH_MS, undefined, { signal: stream.ended }).catch(() => undefined);
        if (stream.ended.aborted) return;
        await stream.send("lines", JSON.stringify(waiting.take()));
      }
    } finally {
      unwatch();
    }
  }
}

function batch(lines: LogLine[], skipped: number): LogLines {
  return { lines, skipped };
}

/** Lines for one page. Drops the oldest if there are too many. */
export class WaitingLines {
  #lines: LogLine[] = [];
  #skipped = 0;
  #wake = () => {};

  add(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length > 2 * MAX_WAITING) this.#drop();
    this.#wake();
  }

  take(): LogLines {
    if (this.#lines.length > MAX_WAITING) this.#drop();
    const taken = batch(this.#lines, this.#skipped);
    this.#lines = [];
    this.#skipped = 0;
    return taken;
  }

  /** Resolves when there is a line, or after a while without one. */
  async untilSome(ended: AbortSignal): Promise<void> {
    if (this.#lines.length > 0 || ended.aborted) return;
    // Not AbortSignal.any: on Node 20 each call leaks memory at a long-lived signal.
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, KEEP_ALIVE_MS);
      const end = () => {
        clearTimeout(timer);
        ended.removeEventListener("abort", end);
        resolve();
      };
      ended.addEventListener("abort", end);
      this.#wake = end;
    });
    this.#wake();
    this.#wake = () => {};
  }

  #drop(): void {
    this.#skipped += this.#lines.length - MAX_WAITING;
    this.#lines = this.#lines.slice(-MAX_WAITING);
  }
}

/** Undefined: filtered out, or not a log line. */
export function shownLine(line: string, filter: Filter): LogLine | undefined {
  if (filter.text !== undefined && !line.toLowerCase().includes(filter.text)) return undefined;
  const entry = parseLine(line);
  if (!entry) return undefined;
  if (filter.level !== undefined && !isAtLeast(entry, filter.level)) return undefined;
  const area = areaOf(entry);
  return filter.area === undefined || filter.area === area ? lineOf(entry, area) : undefined;
}

function lineOf(entry: LogFields, area: string): LogLine {
  const { traceId, ...others } = entry;
  const { platform, ...rest } = others;
  const at = Date.parse(String(entry.time)) / 1000;
  return {
    at: Number.isNaN(at) ? null : at,
    level: LEVELS.find((level) => level === entry.level) ?? null,
    area,
    text: startOf(String(entry.msg), MAX_TEXT),
    fields: startOf(fieldsText(platform === area ? rest : others), MAX_FIELDS),
    traceId: typeof traceId === "string" ? traceId : null,
  };
}
