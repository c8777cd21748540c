import type { Database } from "better-sqlite3";
import { isBusy } from "./faults.js";
import { FULL_TEXT_TABLES } from "./fulltext.js";
import { mergeStep } from "./optimize.js";

/** Commits after which a merge is considered. */
const COMMITS_PER_LOOK = 64;
const QUIET_MS = 50;
const BETWEEN_STEPS_MS = 5;
/** Longer than a short-lived read-only command runs. */
const AFTER_OPENING_MS = 1000;

/**
 * Every commit adds a small segment to the full-text index, and a search reads all of them. Merges them in
 * idle moments, a few pages at a time, so that a write waits for one step at most. Also checks a newly
 * opened file, because the last process may never have been idle.
 */
export class QuietMerge {
  readonly #db: Database;
  readonly #merged: () => void;
  #commits = COMMITS_PER_LOOK;
  #timer: NodeJS.Timeout | undefined;

  /** Steps are commits too; `merged` is called for each. */
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
    if (this.#db.inTransaction) {
      this.#wait(QUIET_MS);
      return;
    }
    try {
      if (FULL_TEXT_TABLES.some((table) => mergeStep(this.#db, table))) {
        this.#merged();
        this.#wait(BETWEEN_STEPS_MS);
      } else this.#commits = 0;
    } catch (error) {
      // Another process has the lock, or the table is missing. Merging is optional, and writes report real errors.
      if (isBusy(error)) this.#wait(QUIET_MS);
      else this.#commits = 0;
    }
  }
}
