import { monotonicSeconds, nowSeconds } from "../clock.js";
import type { Gateway } from "../gateway.js";
import type { GatewayLog } from "../log.js";
import { type NotReady, type ReadinessSettings, readinessProblems } from "../policies/readiness.js";
import type { ReadyRow } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { WriteCheck, type WriteResult } from "./write-check.js";

export interface ReadinessSource {
  store: Pick<Store, "backlog"> & Pick<Store["maintenance"], "writerStats">;
  /** Updates a row in the database. */
  testWrite(): Promise<unknown>;
  /** The opened database is no longer the file at its path. */
  isReplaced(): boolean;
  gateway: Pick<Gateway, "health" | "isStarted" | "isStopping">;
  settings: ReadinessSettings;
  /** An error message without paths, for public output. */
  describe(error: unknown): string;
  log: Pick<GatewayLog, "info" | "error">;
}

const TIMEOUT_MS = 2000;
/** The result is cached for this long. */
const CACHE_SECONDS = 0.5;
/** Interval of the checks for the log. */
const CHECK_INTERVAL_MS = 5000;

/** Reports what keeps the gateway from accepting and processing messages. Never fails, never hangs. */
export class Readiness {
  readonly #source: ReadinessSource;
  readonly #writes: WriteCheck;
  readonly #clock: () => number;
  readonly #inbox = new Sighting();
  readonly #outbox = new Sighting();
  readonly #misdated = new Sighting();
  #last: { at: number; isStarted: boolean; problems: Promise<readonly NotReady[]> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The checks that failed last time, for the log. */
  #failing = "";

  /** `clock` is monotonic. */
  constructor(source: ReadinessSource, clock = monotonicSeconds) {
    this.#source = source;
    this.#clock = clock;
    this.#writes = new WriteCheck({ write: source.testWrite });
  }

  start(): void {
    this.#timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  problems(): Promise<readonly NotReady[]> {
    const at = this.#clock();
    const { isStarted } = this.#source.gateway;
    const isOld = !this.#last || at - this.#last.at > CACHE_SECONDS || this.#last.isStarted !== isStarted;
    if (isOld) this.#last = { at, isStarted, problems: this.#check("always") };
    return this.#last!.problems;
  }

  /** Seconds by the wall clock, or by the monotonic clock if the wall clock was set back. */
  #waited(sighting: Sighting, row: ReadyRow | null): number {
    const seen = sighting.seconds(row?.id ?? null, this.#clock());
    return row === null ? 0 : Math.max(seen, nowSeconds() - row.at);
  }

  /** For the log. Doesn't test writes unless they failed before, so an idle disk can sleep. */
  async check(): Promise<void> {
    await this.#check("failed before");
  }

  async #check(write: "always" | "failed before"): Promise<readonly NotReady[]> {
    const { store, gateway, settings } = this.#source;
    const [stats, backlog] = await Promise.all([inTime(store.writerStats()), inTime(store.backlog())]);
    const written = stats ? await this.#written(stats.failures, write) : undefined;
    const problems = readinessProblems({
      starting: !gateway.isStarted,
      stopping: gateway.isStopping,
      isReplaced: this.#source.isReplaced(),
      store:
        stats && backlog
          ? {
              stalledSeconds: stats.waitingSeconds,
              writeFault: written && this.#source.describe(written.error),
            }
          : undefined,
      waitedSeconds: {
        inbox: this.#waited(this.#inbox, backlog?.ready.inbox ?? null),
        outbox: this.#waited(this.#outbox, backlog?.ready.outbox ?? null),
      },
      misdatedSeconds: this.#misdated.seconds((backlog?.misdated ?? 0) > 0 ? 0 : null, this.#clock()),
      platforms: gateway.health(),
      settings,
    });
    this.#logChange(problems, written?.error);
    return problems;
  }

  /** The failure of the last test write. A wait for a lock isn't a failure: another check covers it. */
  async #written(
    failures: number,
    write: "always" | "failed before",
  ): Promise<Exclude<WriteResult, "ok"> | undefined> {
    const { last } = this.#writes;
    const isDue = write === "always" || last.failures !== failures || last.result !== "ok";
    const result = isDue ? ((await inTime(this.#writes.result(failures))) ?? "ok") : last.result;
    return result === "ok" ? undefined : result;
  }

  /** Logs one line when the set of failing checks changes. */
  #logChange(problems: readonly NotReady[], error: unknown): void {
    const { log, gateway, isReplaced } = this.#source;
    const failing = [...problems.map(({ check }) => check), ...(isReplaced() ? ["replaced"] : [])].join();
    // Starting and stopping aren't logged here.
    if (failing === this.#failing || gateway.isStopping || !gateway.isStarted) return;
    this.#failing = failing;
    const reasons = problems.map(({ check, reason }) => `${check}: ${reason}`).join("; ");
    if (failing === "") log.info({}, "ready again");
    else log.error(error === undefined ? {} : { err: error }, `not ready: ${reasons}`);
  }
}

/** Measures for how long consecutive checks have seen the same id. */
class Sighting {
  #first: { id: number; at: number } | undefined;

  /** Seconds since this id was first seen; a null id resets it. */
  seconds(id: number | null, now: number): number {
    if (id === null) this.#first = undefined;
    else if (this.#first?.id !== id) this.#first = { id, at: now };
    return this.#first ? now - this.#first.at : 0;
  }
}

/** Undefined if it fails or times out. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    // The caller reports the store as unavailable.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
