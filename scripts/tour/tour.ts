/** Plays steps one after another: alone, or one at a time when it is paused. */
import { setTimeout as pause } from "node:timers/promises";

export interface Step {
  title: string;
  /** What it shows, for the side panel. */
  text: string;
  run(told: (line: string) => void): Promise<unknown>;
}

export interface ShownStep {
  title: string;
  text: string;
  state: "waiting" | "running" | "done" | "failed";
  /** What happened so far. */
  told: readonly string[];
}

export type Mode = "playing" | "paused" | "over";

export class Tour {
  readonly #steps: readonly Step[];
  readonly #shown: (ShownStep & { told: string[] })[];
  /** Between two steps, to read. */
  readonly #readMs: number;
  #mode: Mode = "paused";
  #running: Promise<void> | undefined;

  constructor(steps: readonly Step[], readMs: number) {
    this.#steps = steps;
    this.#readMs = readMs;
    this.#shown = steps.map(({ title, text }) => ({ title, text, state: "waiting", told: [] }));
  }

  get mode(): Mode {
    return this.#mode;
  }

  get steps(): readonly ShownStep[] {
    return this.#shown;
  }

  /** All steps that are left, until `pause`. */
  play(): void {
    if (this.#mode !== "paused") return;
    this.#mode = "playing";
    void this.#playAll();
  }

  /** The step that runs now is the last for the moment. */
  pause(): void {
    if (this.#mode === "playing") this.#mode = "paused";
  }

  /** One step. Resolves when it has ended; while one runs, it is that one. */
  next(): Promise<void> {
    this.#running ??= this.#runNext().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #playAll(): Promise<void> {
    while (this.#mode === "playing") {
      await this.next();
      await pause(this.#readMs);
    }
  }

  /** A failed step is shown as such, and the tour goes on. */
  async #runNext(): Promise<void> {
    const index = this.#shown.findIndex(({ state }) => state === "waiting");
    const shown = this.#shown[index];
    if (!shown) return;
    shown.state = "running";
    try {
      await this.#steps[index]!.run((line) => shown.told.push(line));
      shown.state = "done";
    } catch (error) {
      shown.told.push(error instanceof Error ? error.message : String(error));
      shown.state = "failed";
    }
    if (index === this.#shown.length - 1) this.#mode = "over";
  }
}
