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
/** Browsers open six connections to one server: tabs in the background must not take them all. */
const HIDDEN_MS = 20_000;
const MAX_PAUSE_MS = 30_000;

export const connection = signal<"connecting" | "live" | "lost">("connecting");

type Listener = (event: WebEvent, id: string) => void;

let listener: Listener = () => {};
let source: EventSource | undefined;
let lastId = "";
let pauseMs = 1000;
let silence: ReturnType<typeof setTimeout> | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let hidden: ReturnType<typeof setTimeout> | undefined;

export function startStream(onEvent: Listener): void {
  listener = onEvent;
  document.addEventListener("visibilitychange", onVisibility);
  window.addEventListener("online", open);
  open();
}

/** Another person: what came before is not theirs. */
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
  // An event without an id has that of the one before it.
  const id = lastEventId === lastId ? "" : lastEventId;
  lastId = lastEventId || (event.type === "hello" ? event.cursor : lastId);
  listener(event, id);
}

/** After a lost connection the browser comes back by itself; after a refusal it doesn't. */
function onError(failed: EventSource): void {
  connection.value = "lost";
  if (failed.readyState !== EventSource.CLOSED || failed !== source) return;
  clearTimeout(retry);
  retry = setTimeout(open, pauseMs);
  pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
}

/** A laptop that slept has a connection that looks open and is dead. */
function watch(): void {
  clearTimeout(silence);
  silence = setTimeout(open, SILENCE_MS);
}

function onVisibility(): void {
  clearTimeout(hidden);
  if (document.hidden) hidden = setTimeout(close, HIDDEN_MS);
  else if (!source) open();
}

function close(): void {
  clearTimeout(silence);
  clearTimeout(retry);
  source?.close();
  source = undefined;
}
