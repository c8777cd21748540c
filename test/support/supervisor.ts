import type { Daemon, Ending } from "./daemon.js";

/** Starts the gateway again whenever it ends, as systemd or Docker would. */
export class Supervisor {
  readonly endings: Ending[] = [];
  readonly #daemon: Daemon;
  #over = false;
  #watching: Promise<void>;

  /** Each start takes the next of these environments, the last of them for all that follow. */
  constructor(daemon: Daemon, environments: readonly Record<string, string>[] = [{}]) {
    this.#daemon = daemon;
    daemon.launch(environments[0]);
    this.#watching = this.#watch(environments);
  }

  /** The gateway that runs now is the last. */
  async leave(): Promise<void> {
    await this.#daemon.run.ready;
    this.#over = true;
  }

  async #watch(environments: readonly Record<string, string>[]): Promise<void> {
    for (let start = 1; ; start += 1) {
      const ending = await this.#daemon.run.ended;
      if (this.#over) return;
      this.endings.push(ending);
      this.#daemon.launch(environments[Math.min(start, environments.length - 1)]);
    }
  }

  /** Resolves when the last gateway has ended. */
  get done(): Promise<void> {
    return this.#watching;
  }
}
