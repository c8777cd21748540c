import { freeBytesAt } from "../../disk-space.js";
import type { DashboardOptions } from "./options.js";
import type { ProblemFacts } from "./problems.js";

const CACHE_MS = 5000;

type Facts = Pick<ProblemFacts, "freeBytes" | "approvals">;

/** Free disk space and open approvals, cached for a few seconds. */
export class Surroundings {
  readonly #options: Pick<DashboardOptions, "home" | "store">;
  #cached: { at: number; facts: Promise<Facts> } | undefined;

  constructor(options: Pick<DashboardOptions, "home" | "store">) {
    this.#options = options;
  }

  read(): Promise<Facts> {
    if (!this.#cached || performance.now() - this.#cached.at > CACHE_MS)
      this.#cached = { at: performance.now(), facts: this.#read() };
    return this.#cached.facts;
  }

  async #read(): Promise<Facts> {
    const { home, store } = this.#options;
    const [freeBytes, questions] = await Promise.all([
      freeBytesAt(home).catch(() => undefined),
      // A failing store is reported as a separate problem.
      store.listQuestions("open").catch(() => []),
    ]);
    const approvals = questions.filter(({ kind }) => kind === "approval");
    return { freeBytes, approvals: approvals.map(({ secondsLeft }) => secondsLeft) };
  }
}
