/**
 * How far each message has come: what is delivered is not sent again with the next attempt. In memory alone: after a
 * crash Telegram can't be asked, and the repeat is marked.
 */
import type { SendableFile } from "../../media/outgoing.js";
import type { Part } from "./render.js";

export type Item = { kind: "text"; part: Part } | { kind: "file"; upload: SendableFile; caption: string };

export interface Job {
  left: Item[];
  messageIds: string[];
  /** The first of `left` may have arrived. */
  uncertain: boolean;
  /** It says so already. */
  marked: boolean;
  /** It has been said why it stands in another place. */
  explained: boolean;
}

export function newJob(left: Item[]): Job {
  return { left, messageIds: [], uncertain: false, marked: false, explained: false };
}

const MOST = 500;

export class Jobs {
  readonly #jobs = new Map<string, Job>();

  get(nonce: string): Job | undefined {
    return this.#jobs.get(nonce);
  }

  keep(nonce: string, job: Job): void {
    this.#jobs.delete(nonce);
    this.#jobs.set(nonce, job);
    if (this.#jobs.size > MOST) this.#jobs.delete(this.#jobs.keys().next().value!);
  }

  done(nonce: string): void {
    this.#jobs.delete(nonce);
  }
}
