/** The connection to signal-cli: one event stream, opened again whenever it ends or falls silent. */
import type { AdapterEvents } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { isRecord, RestError } from "../kit/rest.js";
import { keepSocketOpen, type LiveSocket, type SocketLost } from "../kit/socket-loop.js";
import { reasonOf, type SignalApi, UNKNOWN_ACCOUNT } from "./api.js";
import type { Settings } from "./config.js";
import { isPersonId } from "./ids.js";
import type { Self } from "./normalise.js";
import { Receiver } from "./receive.js";

export interface ConnectionParts {
  api: SignalApi;
  settings: Settings;
  health: HealthTracker;
  events: AdapterEvents;
  signal: AbortSignal;
}

/** Events have some kilobytes: files come separately. */
const MAX_EVENT_CHARS = 4_000_000;

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #receiver: Receiver;
  #uuid: string | null = null;
  #settle = () => {};
  /** Resolves when the first attempt has succeeded or failed. */
  readonly tried = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(parts: ConnectionParts) {
    const { api, settings, events, signal, health } = parts;
    this.#parts = parts;
    const self = (): Self => ({ number: settings.number, uuid: this.#uuid, account: settings.account });
    const stuck = (isStuck: boolean) =>
      health.issue("inbox", isStuck ? "Messages from Signal can't be received now: retrying" : undefined);
    this.#receiver = new Receiver({ api, settings, events, self, signal, stuck });
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { settings, health, signal } = this.#parts;
    const { timing } = settings;
    await keepSocketOpen({
      open: (heard, opening) => this.#open(heard, opening),
      onOpen: () => {
        health.up();
        this.#settle();
      },
      onAlive: () => health.heard(),
      onLost: (lost) => this.#lost(lost),
      signal,
      backoff: timing.backoff,
      openTimeoutMs: timing.openMs,
      pingMs: timing.silenceMs,
      stableMs: timing.stableMs,
      closeTimeoutMs: timing.closeMs,
    });
    this.#settle();
  }

  async #open(heard: () => void, signal: AbortSignal): Promise<LiveSocket> {
    const { api, settings } = this.#parts;
    await api.check(signal);
    this.#uuid ??= await ownUuid(api, settings.number, signal);
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener("abort", stop, { once: true });
    const url = `${settings.apiUrl}/api/v1/events?account=${encodeURIComponent(settings.number)}`;
    const headers = { accept: "text/event-stream" };
    const response = await fetch(url, { headers, redirect: "manual", signal: over.signal });
    if (!response.ok || !response.body) {
      stop();
      throw new RestError(response.status, response.headers, {});
    }
    const lines = new EventLines((data) => this.#event(data));
    const closed = readAll(response.body as ReadableStream<Uint8Array>, (text) => {
      heard();
      lines.add(text);
    }).finally(() => signal.removeEventListener("abort", stop));
    closed.catch(() => undefined);
    return { closed, close: stop };
  }

  #event(data: string): void {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return;
    }
    this.#receiver.take(event).catch((error: unknown) => {
      if (!this.#parts.signal.aborted)
        this.#parts.settings.log("error", "a message from Signal was lost: too many are waiting", {
          err: error,
        });
    });
  }

  /** Sets the health; returns how long to wait if the backoff doesn't fit. */
  #lost({ reason, wasOpen }: SocketLost): number | undefined {
    const { health, settings, signal } = this.#parts;
    if (signal.aborted) return undefined;
    this.#settle();
    if (reason instanceof RestError && reason.status === 400) {
      health.trouble("down", UNKNOWN_ACCOUNT);
      return settings.timing.refusedMs;
    }
    const why = wasOpen ? "the stream ended" : reasonOf(reason);
    health.trouble("degraded", `signal-cli can't be reached (${why}): retrying`);
    return undefined;
  }
}

/** For mentions of the bot. Unknown: only its number is recognised. */
async function ownUuid(api: SignalApi, number: string, signal: AbortSignal): Promise<string | null> {
  const found = await api.rpc("getUserStatus", { recipient: [number] }, { signal }).catch(() => undefined);
  const [first] = Array.isArray(found) ? found : [];
  return isRecord(first) && isPersonId(first.uuid) ? first.uuid : null;
}

async function readAll(body: ReadableStream<Uint8Array>, heard: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read())
    heard(decoder.decode(next.value, { stream: true }));
}

/** Text of a stream → the data of its events. */
class EventLines {
  readonly #onData: (data: string) => void;
  #rest = "";
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    if (this.#rest.length > MAX_EVENT_CHARS) this.#rest = "";
    for (const line of lines) this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  /** A line without text ends an event; one that begins with a colon is a sign of life. */
  #line(line: string): void {
    if (line.startsWith("data:")) this.#data.push(line.slice(5).trimStart());
    if (line !== "" || this.#data.length === 0) return;
    const data = this.#data.join("\n");
    this.#data = [];
    this.#onData(data);
  }
}
