import { monotonicSeconds, nowSeconds } from "../clock.js";
import type { Gateway } from "../gateway.js";
import { type NotReady, type ReadinessSettings, readinessProblems } from "../policies/readiness.js";
import type { ReadyRow } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { GatewayLog } from "./parts.js";
import { WriteCheck, type WriteResult } from "./write-check.js";

export interface ReadinessSource {
  store: Pick<Store, "backlog" | "writerStats">;
  /** Changes a row of the database. */
  testWrite(): Promise<unknown>;
  /** The file that is open is no longer the one at its path. */
  isReplaced(): boolean;
  gateway: Pick<Gateway, "health" | "isStarted" | "isStopping">;
  settings: ReadinessSettings;
  /** An error in words for anybody: without paths. */
  describe(error: unknown): string;
  log: Pick<GatewayLog, "info" | "error">;
}

const LOOK_MS = 2000;
/** Whoever asks more often is told the same. */
const SAME_FOR_SECONDS = 0.5;
/** The log is told of changes also where nobody asks. */
const LOOK_EVERY_MS = 5000;

/** How things stand → what keeps the gateway from accepting and processing. Never fails, never hangs. */
export class Readiness {
  readonly #source: ReadinessSource;
  readonly #writes: WriteCheck;
  readonly #clock: () => number;
  readonly #inbox = new Sighting();
  readonly #outbox = new Sighting();
  readonly #misdated = new Sighting();
  #last: { at: number; isStarted: boolean; problems: Promise<readonly NotReady[]> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The checks that failed last, for the log. */
  #failing = "";

  /** `clock` never goes back. */
  constructor(source: ReadinessSource, clock = monotonicSeconds) {
    this.#source = source;
    this.#clock = clock;
    this.#writes = new WriteCheck({ write: source.testWrite });
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  problems(): Promise<readonly NotReady[]> {
    const at = this.#clock();
    const { isStarted } = this.#source.gateway;
    const isOld = !this.#last || at - this.#last.at > SAME_FOR_SECONDS || this.#last.isStarted !== isStarted;
    if (isOld) this.#last = { at, isStarted, problems: this.#look("always") };
    return this.#last!.problems;
  }

  /** By the machine's clock, or by ours if that one was set back. */
  #waited(sighting: Sighting, row: ReadyRow | null): number {
    const seen = sighting.seconds(row?.id ?? null, this.#clock());
    return row === null ? 0 : Math.max(seen, nowSeconds() - row.at);
  }

  /** For the log. Without a question from outside nothing is written, unless writes fail: an idle disk may sleep. */
  async look(): Promise<void> {
    await this.#look("failed before");
  }

  async #look(write: "always" | "failed before"): Promise<readonly NotReady[]> {
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
    this.#tell(problems, written?.error);
    return problems;
  }

  /** What a write says. One that waits for a lock says nothing yet: how long it waits is another check. */
  async #written(
    failures: number,
    write: "always" | "failed before",
  ): Promise<Exclude<WriteResult, "ok"> | undefined> {
    const { last } = this.#writes;
    const isDue = write === "always" || last.failures !== failures || last.result !== "ok";
    const result = isDue ? ((await inTime(this.#writes.result(failures))) ?? "ok") : last.result;
    return result === "ok" ? undefined : result;
  }

  /** One line for each change: which checks fail, not how their numbers grow. */
  #tell(problems: readonly NotReady[], error: unknown): void {
    const { log, gateway, isReplaced } = this.#source;
    const failing = [...problems.map(({ check }) => check), ...(isReplaced() ? ["replaced"] : [])].join();
    // Starting and stopping are no news.
    if (failing === this.#failing || gateway.isStopping || !gateway.isStarted) return;
    this.#failing = failing;
    const reasons = problems.map(({ check, reason }) => `${check}: ${reason}`).join("; ");
    if (failing === "") log.info({}, "ready again");
    else log.error(error === undefined ? {} : { err: error }, `not ready: ${reasons}`);
  }
}

/** The same thing, seen at several looks. */
class Sighting {
  #first: { id: number; at: number } | undefined;

  /** For how long it has been this one; null: there is none. */
  seconds(id: number | null, now: number): number {
    if (id === null) this.#first = undefined;
    else if (this.#first?.id !== id) this.#first = { id, at: now };
    return this.#first ? now - this.#first.at : 0;
  }
}

/** Undefined when it fails or takes too long. */
async function inTime<T>(look: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), LOOK_MS);
  });
  try {
    return await Promise.race([look, late]);
  } catch {
    // A store that can't be asked isn't one to write to: that is the answer.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
