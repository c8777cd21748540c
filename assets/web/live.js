/** The event stream, kept open while the page is looked at. */

const EVENTS = [
  "hello",
  "message",
  "decided",
  "sent",
  "preview",
  "tool-started",
  "tool-ended",
  "typing",
  "session",
  "heartbeat",
];
const SILENCE_MS = 45_000;
/** Browsers open six connections to one server: tabs in the background must not take them all. */
const HIDDEN_MS = 20_000;

export class Live {
  #source;
  #lastId = 0;
  #silence;
  #retry;
  #hidden;
  #pauseMs = 1000;

  /** `onEvent(name, data)`, `onState("connecting" | "open" | "offline")`. */
  constructor({ onEvent, onState }) {
    this.onEvent = onEvent;
    this.onState = onState;
    document.addEventListener("visibilitychange", () => this.#onVisibility());
    addEventListener("online", () => this.open());
  }

  /** What came up to this outbox id is known from elsewhere. */
  seen(id) {
    this.#lastId = Math.max(this.#lastId, id);
  }

  open() {
    this.#close();
    this.onState("connecting");
    this.#source = new EventSource(`/api/chat/events?after=${this.#lastId}`);
    this.#source.onopen = () => {
      this.#pauseMs = 1000;
      this.#watch();
      this.onState("open");
    };
    this.#source.onerror = () => this.#onError();
    for (const name of EVENTS) this.#source.addEventListener(name, (event) => this.#onEvent(name, event));
  }

  #onEvent(name, event) {
    this.#watch();
    if (event.lastEventId) this.seen(Number(event.lastEventId));
    this.onEvent(name, JSON.parse(event.data));
  }

  /** After a lost connection the browser comes back by itself; after a refusal it doesn't. */
  #onError() {
    this.onState("offline");
    if (this.#source?.readyState !== EventSource.CLOSED) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), this.#pauseMs);
    this.#pauseMs = Math.min(30_000, this.#pauseMs * 2);
  }

  /** A laptop that slept has a connection that looks open and is dead. */
  #watch() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.open(), SILENCE_MS);
  }

  #onVisibility() {
    clearTimeout(this.#hidden);
    if (document.hidden) this.#hidden = setTimeout(() => this.#close(), HIDDEN_MS);
    else if (!this.#source) this.open();
  }

  #close() {
    clearTimeout(this.#silence);
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
  }
}
