/** Clients that wait for answers. Answers without a client aren't kept: they are in the history. */
import type { OutboundMessage } from "../../message.js";

/** The end of a request: the answer, or a notice in its place. */
export type Finished = Pick<OutboundMessage, "kind" | "text" | "details" | "files">;

export interface Listener {
  /** All text so far. */
  wrote(text: string): void;
  ended(finished: Finished): void;
}

export class PendingRequests {
  readonly #most: number;
  readonly #listeners = new Map<string, Set<Listener>>();
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns a function that removes it; undefined when too many are pending. */
  add(request: string, listener: Listener): (() => void) | undefined {
    if (this.#count >= this.#most) return undefined;
    const listeners = this.#listeners.get(request) ?? new Set();
    this.#listeners.set(request, listeners.add(listener));
    this.#count += 1;
    return () => {
      if (!listeners.delete(listener)) return;
      this.#count -= 1;
      if (listeners.size === 0) this.#listeners.delete(request);
    };
  }

  wrote(request: string, text: string): void {
    for (const listener of this.#listeners.get(request) ?? []) listener.wrote(text);
  }

  ended(request: string, finished: Finished): void {
    for (const listener of [...(this.#listeners.get(request) ?? [])]) listener.ended(finished);
  }
}

/** Whether it ends the request: other notices (a reset) may come before. */
export function isEnd({ kind, details }: Pick<Finished, "kind" | "details">): boolean {
  return kind !== "notice" || details !== undefined;
}
