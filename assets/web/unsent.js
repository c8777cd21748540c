/**
 * What the daemon hasn't confirmed yet. Kept over reloads and sent again with the same id until it is confirmed; a message
 * that had arrived after all is recognised there by its id.
 */
import { ApiError, post } from "./api.js";
import { newId } from "./ids.js";

const KEY = "hermes.unsent";
const MAX_PAUSE_MS = 15_000;

export class Unsent {
  /** Used instead of the browser's store once that is full or forbidden. */
  #memory;
  #isSending = false;
  #pauseMs = 1000;
  #timer;

  /** `onAccepted(message, answer)`, `onFailed(message, reason)`. */
  constructor({ onAccepted, onFailed }) {
    this.onAccepted = onAccepted;
    this.onFailed = onFailed;
  }

  all() {
    if (this.#memory) return this.#memory;
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      return kept.filter((message) => typeof message?.id === "string" && typeof message.text === "string");
    } catch {
      return [];
    }
  }

  add(text) {
    const message = { id: newId(), text, at: Date.now() / 1000 };
    this.#keep([...this.all(), message]);
    void this.flush();
    return message;
  }

  /** One after the other, so that they arrive in the order in which they were written. */
  async flush() {
    clearTimeout(this.#timer);
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next = this.all()[0]; next; next = this.all()[0]) await this.#send(next);
      this.#pauseMs = 1000;
    } catch {
      this.#timer = setTimeout(() => this.flush(), this.#pauseMs);
      this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
    } finally {
      this.#isSending = false;
    }
  }

  async #send(message) {
    try {
      const answer = await post("/api/chat/messages", { id: message.id, text: message.text });
      this.#drop(message);
      this.onAccepted(message, answer);
    } catch (error) {
      if (!(error instanceof ApiError) || !isFinal(error.status)) throw error;
      this.#drop(message);
      this.onFailed(message, error.message);
    }
  }

  #drop(message) {
    this.#keep(this.all().filter(({ id }) => id !== message.id));
  }

  #keep(messages) {
    if (this.#memory) this.#memory = messages;
    try {
      localStorage.setItem(KEY, JSON.stringify(messages));
    } catch {
      this.#memory = messages;
    }
  }
}

/** Logged out, too slow, too many: all of that passes. */
const PASSING = [401, 408, 429];

function isFinal(status) {
  return status >= 400 && status < 500 && !PASSING.includes(status);
}
