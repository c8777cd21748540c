/** signal-cli's event stream: one HTTP response that never ends, with a sign of life every 15 seconds. */
import { pause } from "../../backoff.js";
import { RestError } from "../kit/rest.js";
import type { LiveSocket } from "../kit/socket-loop.js";

export interface StreamOptions {
  url: string;
  /** Every piece of text is a sign of life. */
  heard(): void;
  event(data: string): void;
  /** While true, nothing more is read: signal-cli then keeps the rest. */
  isFull(): boolean;
  signal: AbortSignal;
}

/** Events have some kilobytes: files come separately. */
const MAX_EVENT_CHARS = 4_000_000;
const FULL_MS = 50;

/** Resolves with the response's first line. Rejects with a RestError if signal-cli refuses. */
export async function openStream(options: StreamOptions): Promise<LiveSocket> {
  const { url, signal } = options;
  const over = new AbortController();
  const stop = () => over.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const headers = { accept: "text/event-stream" };
    const response = await fetch(url, { headers, redirect: "manual", signal: over.signal });
    if (!response.ok || !response.body) throw new RestError(response.status, response.headers, {});
    const body = response.body as ReadableStream<Uint8Array>;
    const closed = readAll(body, options, over.signal).finally(() =>
      signal.removeEventListener("abort", stop),
    );
    // The loop hears of it; until it listens, the rejection counts as handled.
    closed.catch(() => undefined);
    return { closed, close: stop };
  } catch (error) {
    stop();
    signal.removeEventListener("abort", stop);
    throw error;
  }
}

async function readAll(
  body: ReadableStream<Uint8Array>,
  { heard, event, isFull }: StreamOptions,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  const lines = new EventLines(event);
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    heard();
    lines.add(decoder.decode(next.value, { stream: true }));
    while (isFull() && !signal.aborted) {
      // The silence is ours.
      heard();
      await pause(FULL_MS, signal);
    }
  }
}

/** Text of a stream → the data of its events. */
export class EventLines {
  readonly #onData: (data: string) => void;
  #rest = "";
  #data: string[] = [];
  #chars = 0;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  add(text: string): void {
    const lines = text.includes("\n") ? (this.#rest + text).split("\n") : [this.#rest + text];
    this.#rest = lines.pop()!;
    if (this.#rest.length > MAX_EVENT_CHARS) throw new Error("An event is too long");
    for (const line of lines) this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  /** A line without text ends an event; one that begins with a colon is a sign of life. */
  #line(line: string): void {
    if (line.startsWith("data:")) this.#keep(line.slice("data:".length).trimStart());
    if (line !== "" || this.#data.length === 0) return;
    const data = this.#data.join("\n");
    this.#data = [];
    this.#chars = 0;
    this.#onData(data);
  }

  #keep(data: string): void {
    this.#chars += data.length;
    if (this.#chars > MAX_EVENT_CHARS) throw new Error("An event is too long");
    this.#data.push(data);
  }
}
