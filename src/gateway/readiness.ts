import { nowSeconds } from "../clock.js";
import type { Gateway } from "../gateway.js";
import { type NotReady, type ReadinessSettings, readinessProblems } from "../policies/readiness.js";
import type { Store } from "../store/store.js";

export interface ReadinessSource {
  store: Pick<Store, "backlog" | "writerStats">;
  gateway: Pick<Gateway, "health" | "isStopping">;
  settings: ReadinessSettings;
}

const LOOK_MS = 2000;
/** Whoever asks more often is told the same. */
const SAME_FOR_MS = 500;

/** How things stand → what keeps the gateway from accepting and processing. Never fails, never hangs. */
export class Readiness {
  readonly #source: ReadinessSource;
  #last: { at: number; problems: Promise<readonly NotReady[]> } | undefined;

  constructor(source: ReadinessSource) {
    this.#source = source;
  }

  problems(): Promise<readonly NotReady[]> {
    const at = performance.now();
    if (!this.#last || at - this.#last.at > SAME_FOR_MS) this.#last = { at, problems: this.#look() };
    return this.#last.problems;
  }

  async #look(): Promise<readonly NotReady[]> {
    const { store, gateway, settings } = this.#source;
    const [stats, backlog] = await Promise.all([inTime(store.writerStats()), inTime(store.backlog())]);
    return readinessProblems({
      now: nowSeconds(),
      stopping: gateway.isStopping,
      store:
        stats && backlog
          ? {
              stalledSeconds: stats.waitingSeconds,
              lastCommitAt: stats.lastCommitAt,
              lastFailureAt: stats.lastFailureAt,
            }
          : undefined,
      oldestReadyAt: backlog?.oldestReadyAt ?? null,
      platforms: gateway.health(),
      settings,
    });
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
