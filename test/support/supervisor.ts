import { isEnding } from "./at-end.js";
import type { Daemon, Ending } from "./daemon.js";

type Environment = Record<string, string>;

/** Starts the gateway again whenever it ends, as systemd or Docker would. */
export class Supervisor {
  readonly endings: Ending[] = [];
  readonly #daemon: Daemon;
  #over = false;
  #watching: Promise<void>;

  /** Each start takes the next of these environments, the last of them for all that follow; or asks for its own. */
  constructor(
    daemon: Daemon,
    environments: readonly Environment[] | ((start: number) => Environment) = [{}],
  ) {
    this.#daemon = daemon;
    const environment =
      typeof environments === "function"
        ? environments
        : (start: number) => environments[Math.min(start, environments.length - 1)]!;
    daemon.launch(environment(0));
    this.#watching = this.#watch(environment);
  }

  /** The gateway that runs now is the last. */
  async leave(): Promise<void> {
    await this.#daemon.run.ready;
    this.#over = true;
  }

  async #watch(environment: (start: number) => Environment): Promise<void> {
    for (let start = 1; ; start += 1) {
      const ending = await this.#daemon.run.ended;
      if (this.#over || isEnding()) return;
      this.endings.push(ending);
      this.#daemon.launch(environment(start));
    }
  }

  /** Resolves when the last gateway has ended. */
  get done(): Promise<void> {
    return this.#watching;
  }
}
