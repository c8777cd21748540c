/** The event stream, open while the page is visible. */
import { signal } from "@preact/signals";
import type { WebEvent } from "../../../../src/adapters/web/api.js";

const TYPES: readonly WebEvent["type"][] = [
  "hello",
  "heartbeat",
  "message",
  "queued",
  "withdrawn",
  "turn-started",
  "delta",
  "tool",
  "decided",
  "turn-finished",
  "conversation",
  "branched",
  "deleted",
  "identity",
];
const SILENCE_MS = 45_000;
/** Browsers allow six connections per server, so background tabs must not keep theirs. */
const HIDDEN_MS = 20_000;
const MAX_PAUSE_MS = 30_000;

export const connection = signal<"connecting" | "live" | "lost">("connecting");

type Listener = (event: WebEvent, id: string) => void;

let listener: Listener = () => {};
let source: EventSource | undefined;
let lastId = "";
let pauseMs = 1000;
let silenceTimer: ReturnType<typeof setTimeout> | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let hiddenTimer: ReturnType<typeof setTimeout> | undefined;

export function startStream(onEvent: Listener): void {
  listener = onEvent;
  document.addEventListener("visibilitychange", onVisibility);
  window.addEventListener("online", open);
  open();
}

/** For another person, who must not get the earlier events. */
export function restartStream(): void {
  lastId = "";
  open();
}

function open(): void {
  close();
  const query = lastId ? `?${new URLSearchParams({ cursor: lastId })}` : "";
  const opened = new EventSource(`/api/web/events${query}`);
  source = opened;
  opened.onerror = () => onError(opened);
  for (const type of TYPES)
    opened.addEventListener(type, (event) => onEvent(type, event as MessageEvent<string>));
  watch();
}

function onEvent(type: WebEvent["type"], { data, lastEventId }: MessageEvent<string>): void {
  watch();
  pauseMs = 1000;
  connection.value = "live";
  const event = { ...(JSON.parse(data) as object), type } as WebEvent;
  // An event without an id reports the id of the previous event.
  const id = lastEventId === lastId ? "" : lastEventId;
  lastId = lastEventId || (event.type === "hello" ? event.cursor : lastId);
  listener(event, id);
}

/** The browser reconnects after a lost connection, but not after an HTTP error. */
function onError(failed: EventSource): void {
  connection.value = "lost";
  if (failed.readyState !== EventSource.CLOSED || failed !== source) return;
  clearTimeout(retryTimer);
  retryTimer = setTimeout(open, pauseMs);
  pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
}

/** Reconnects after a silence: when a laptop wakes up, its dead connection still looks open. */
function watch(): void {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(open, SILENCE_MS);
}

function onVisibility(): void {
  clearTimeout(hiddenTimer);
  if (document.hidden) hiddenTimer = setTimeout(close, HIDDEN_MS);
  else if (!source) open();
}

function close(): void {
  clearTimeout(silenceTimer);
  clearTimeout(retryTimer);
  source?.close();
  source = undefined;
}
