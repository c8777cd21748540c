/** The daemon's lives: each ends as planned, and a supervisor starts the next, as systemd or Docker would. */
import { setTimeout as pause } from "node:timers/promises";
import type { KillPoint } from "../../src/kill-point.js";
import type { Daemon, Run } from "../support/daemon.js";
import { Supervisor } from "../support/supervisor.js";
import { until } from "../support/until.js";
import { type Death, planDeath } from "./plan.js";

export interface LivesOptions {
  seed: number;
  /** False while another crash would make a message a dead letter. */
  mayDie(): boolean;
  patienceMs: number;
  /** After each death, before the next start. */
  died(): void;
  /** Where it may die. */
  points: readonly KillPoint[];
  /** Of every life. */
  env: Record<string, string>;
}

type Moment = Extract<Death, { at: "moment" }>;

/** Instead of a place to die at, which can't be called off once the process runs. */
const INSTEAD: Moment = { at: "moment", from: "ready", afterMs: 500 };

const LOOK_MS = 25;
const MAX_WAIT_MS = 2000;

export class Lives {
  readonly deathsAtMs: number[] = [];
  /** Every process that there was. */
  readonly runs: Run[] = [];
  readonly #daemon: Daemon;
  readonly #options: LivesOptions;
  readonly #supervisor: Supervisor;
  /** How the present life ends; undefined: by itself. */
  #death: Moment | undefined;
  #calm = true;
  #call!: () => void;
  readonly #called = new Promise<void>((resolve) => {
    this.#call = resolve;
  });

  constructor(daemon: Daemon, options: LivesOptions) {
    this.#daemon = daemon;
    this.#options = options;
    this.#supervisor = new Supervisor(daemon, (life) => this.#begin(life));
    this.runs.push(daemon.run);
  }

  get deaths(): number {
    return this.deathsAtMs.length;
  }

  /** Processes that ended without having been killed. */
  get crashes(): Run[] {
    return this.runs.filter((_, i) => (this.#supervisor.endings[i]?.signal ?? "SIGKILL") !== "SIGKILL");
  }

  /** Kills until `calm`. */
  async storm(): Promise<void> {
    this.#calm = false;
    this.#death = INSTEAD;
    while (!this.#calm) {
      const { run } = this.#daemon;
      await Promise.race([this.#killInTime(run), this.#called]);
      await until("the next start", () => this.#calm || this.#daemon.run !== run);
    }
  }

  /** A life that lasts too long for this many deaths by now is cut short. */
  async keepUp(deaths: number): Promise<void> {
    const endAtMs = performance.now() + MAX_WAIT_MS;
    while (this.deaths < deaths) {
      if (performance.now() > endAtMs && this.#options.mayDie()) this.#daemon.run.signal("SIGKILL");
      await pause(LOOK_MS);
    }
  }

  /** What runs now, or comes next, may live. For good. */
  async calm(): Promise<void> {
    this.#calm = true;
    this.#call();
    await this.running();
  }

  async running(): Promise<void> {
    const isReady = () => this.#daemon.run.ready.then(Boolean, () => false);
    await until("the gateway runs", isReady, { timeoutMs: this.#options.patienceMs });
  }

  /** A calm end, and no other start. */
  async end(): Promise<void> {
    await this.#supervisor.leave();
    await this.#daemon.stop();
  }

  /** The environment of the next life. */
  #begin(life: number): Record<string, string> {
    const { seed, points, env } = this.#options;
    const death = planDeath(seed, life, points);
    if (life > 0) {
      this.#options.died();
      this.deathsAtMs.push(Date.now());
      queueMicrotask(() => this.runs.push(this.#daemon.run));
    }
    if (this.#calm) return env;
    this.#death = death.at === "moment" ? death : undefined;
    if (death.at === "moment") return env;
    if (this.#options.mayDie()) return { ...env, HERMES_KILL_AT: `${death.at}:${death.count}` };
    this.#death = INSTEAD;
    return env;
  }

  async #killInTime(run: Run): Promise<void> {
    const death = this.#death;
    if (!death) return void (await run.ended);
    if (death.from === "ready") await run.ready.catch(() => undefined);
    // The moment itself is what is tried.
    await pause(death.afterMs);
    while (!this.#calm && !this.#options.mayDie()) await pause(LOOK_MS);
    if (!this.#calm) run.signal("SIGKILL");
    await run.ended;
  }
}
