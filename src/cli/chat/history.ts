import { appendFile, writeFile } from "node:fs/promises";
import { readRegular } from "../../regular-file.js";

const KEPT = 1000;
const LONGEST = 4096;

/** Input history of all terminals, one entry per line, private to its owner. */
export class InputHistory {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The oldest first. */
  async load(): Promise<string[]> {
    const text = await readRegular(this.#file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    const lines = text
      .toString()
      .split("\n")
      .filter((line) => line !== "");
    const kept = lines.slice(-KEPT);
    if (lines.length > 2 * KEPT)
      await writeFile(this.#file, kept.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    return kept;
  }

  async add(line: string): Promise<void> {
    if (line.trim() === "" || line.length > LONGEST) return;
    await appendFile(this.#file, `${line}\n`, { mode: 0o600 });
  }
}

export const HISTORY_LINES = KEPT;
