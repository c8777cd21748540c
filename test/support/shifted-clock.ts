import fs from "node:fs";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { tempDir } from "./temp.js";

const PRELOAD = new URL("shifted-clock.mjs", import.meta.url).href;

/** A clock that a test moves: for `Date` in this process, and for daemons that are started with its `env`. */
export class ShiftedClock {
  readonly #file = path.join(tempDir(), "clock");
  readonly #realNow = Date.now.bind(Date);

  constructor(startMs: number) {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    this.moveTo(startMs);
  }

  get env(): Record<string, string> {
    return { NODE_OPTIONS: `--import ${PRELOAD}`, SHIFTED_CLOCK: this.#file };
  }

  /** The daemons' clocks run on from there; `Date` is frozen in this process. */
  moveTo(epochMs: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(epochMs - this.#realNow());
    fs.writeFileSync(this.#file, bytes);
    vi.setSystemTime(epochMs);
  }
}
