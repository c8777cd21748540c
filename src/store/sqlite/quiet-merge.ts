import type { Database } from "better-sqlite3";
import { isBusy } from "./faults.js";
import { FULL_TEXT_TABLES } from "./fulltext.js";
import { mergeStep } from "./optimize.js";

/** So many commits make it worth a look. */
const COMMITS_PER_LOOK = 64;
const QUIET_MS = 50;
const BETWEEN_STEPS_MS = 5;
/** Longer than a command that only looks something up is there. */
const AFTER_OPENING_MS = 1000;

/**
 * Every commit leaves a small segment in the full-text index, and a search asks them all. In quiet moments they are
 * merged, a few pages at a time: a write that comes meanwhile waits for one step at most. The last process may have
 * had no quiet moment, so a file that has just been opened is looked at too.
 */
export class QuietMerge {
  readonly #db: Database;
  readonly #merged: () => void;
  #commits = COMMITS_PER_LOOK;
  #timer: NodeJS.Timeout | undefined;

  /** Steps are commits too: `merged` hears of each. */
  constructor(db: Database, merged: () => void) {
    this.#db = db;
    this.#merged = merged;
    this.#wait(AFTER_OPENING_MS);
  }

  committed(): void {
    this.#commits += 1;
    if (this.#commits >= COMMITS_PER_LOOK) this.#wait(QUIET_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#commits = Number.NEGATIVE_INFINITY;
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#step(), ms).unref();
  }

  #step(): void {
    try {
      if (FULL_TEXT_TABLES.some((table) => mergeStep(this.#db, table))) {
        this.#merged();
        this.#wait(BETWEEN_STEPS_MS);
      } else this.#commits = 0;
    } catch (error) {
      // Another process has the lock, or the file has no such table: nothing is lost, and writes report real faults.
      if (isBusy(error)) this.#wait(QUIET_MS);
      else this.#commits = 0;
    }
  }
}
