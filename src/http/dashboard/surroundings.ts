import { freeBytesAt } from "../../disk-space.js";
import type { DashboardOptions } from "./options.js";
import type { ProblemFacts } from "./problems.js";

const KEPT_MS = 5000;

type Facts = Pick<ProblemFacts, "freeBytes" | "approvals">;

/** Checked only periodically: the disk and pending approvals. */
export class Surroundings {
  readonly #options: Pick<DashboardOptions, "home" | "store">;
  #kept: { at: number; facts: Promise<Facts> } | undefined;

  constructor(options: Pick<DashboardOptions, "home" | "store">) {
    this.#options = options;
  }

  read(): Promise<Facts> {
    if (!this.#kept || performance.now() - this.#kept.at > KEPT_MS)
      this.#kept = { at: performance.now(), facts: this.#look() };
    return this.#kept.facts;
  }

  async #look(): Promise<Facts> {
    const { home, store } = this.#options;
    const [freeBytes, questions] = await Promise.all([
      freeBytesAt(home).catch(() => undefined),
      // A store that doesn't answer is a problem of its own.
      store.listQuestions("open").catch(() => []),
    ]);
    const approvals = questions.filter(({ kind }) => kind === "approval");
    return { freeBytes, approvals: approvals.map(({ secondsLeft }) => secondsLeft) };
  }
}
