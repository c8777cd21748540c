/** Who waits for which answer. Nothing is kept for an answer that nobody waits for: it is in the history. */
import type { OutboundMessage } from "../../message.js";

/** The end of a request: the answer, or the words that stand for it. */
export type Finished = Pick<OutboundMessage, "kind" | "text" | "details" | "files">;

export interface Listener {
  /** All that is written so far. */
  wrote(text: string): void;
  ended(finished: Finished): void;
}

export class Waiting {
  readonly #most: number;
  readonly #listeners = new Map<string, Set<Listener>>();
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** Undefined when too many wait already. Gives what ends the wait. */
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

/** Whether this is what a request ends with: a notice of another matter (a reset) may come before. */
export function isEnd({ kind, details }: Pick<Finished, "kind" | "details">): boolean {
  return kind !== "notice" || details !== undefined;
}
