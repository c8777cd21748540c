/** The daemon's log on disk: JSON lines in `logs/`, rotated, so that `hermes gateway logs` works however it was started. */
import fs from "node:fs";
import path from "node:path";
import type { DestinationStream } from "pino";

export const LOG_FILE = "hermes-gateway.log";
const MAX_BYTES = 10 * 1024 * 1024;
/** Besides the current one. */
const MAX_OLD_FILES = 3;

/** From the oldest to the current one. */
export function logFiles(folder: string): string[] {
  const old = Array.from({ length: MAX_OLD_FILES }, (_, i) => oldFile(folder, MAX_OLD_FILES - i));
  return [...old, path.join(folder, LOG_FILE)].filter((file) => fs.existsSync(file));
}

/** Before `begin`. */
const MAX_WAITING = 100;

/**
 * Nothing is written before `begin`: the home may belong to another gateway that runs. Never fails its callers: what can't
 * be written (a full disk) is in the standard error at least.
 */
export class LogFile implements DestinationStream {
  readonly #folder: string;
  #waiting: string[] | undefined = [];
  #fd: number | undefined;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  begin(): void {
    const lines = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const line of lines) this.write(line);
  }

  write(line: string): void {
    if (this.#waiting) {
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push(line);
      return;
    }
    try {
      this.#fd ??= this.#open();
      this.#bytes += fs.writeSync(this.#fd, line);
      if (this.#bytes >= MAX_BYTES) this.#rotate();
    } catch {
      // A folder that can't be written is reported by the start's own check of the home, once.
      this.close();
    }
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const fd = fs.openSync(path.join(this.#folder, LOG_FILE), "a", 0o600);
    this.#bytes = fs.fstatSync(fd).size;
    return fd;
  }

  #rotate(): void {
    this.close();
    for (let number = MAX_OLD_FILES; number > 1; number -= 1)
      if (fs.existsSync(oldFile(this.#folder, number - 1)))
        fs.renameSync(oldFile(this.#folder, number - 1), oldFile(this.#folder, number));
    fs.renameSync(path.join(this.#folder, LOG_FILE), oldFile(this.#folder, 1));
  }
}

/**
 * Removes the lines that contain one of these texts. The files are changed in place, because a gateway that runs goes on
 * writing to them; a line that it writes at this very moment may be lost.
 */
export function removeLogLines(folder: string, texts: readonly string[]): void {
  for (const file of logFiles(folder)) {
    const lines = fs.readFileSync(file, "utf8").split("\n");
    const kept = lines.filter((line) => !texts.some((text) => line.includes(text)));
    if (kept.length === lines.length) continue;
    const fd = fs.openSync(file, "r+");
    try {
      fs.ftruncateSync(fd, 0);
      fs.writeSync(fd, kept.join("\n"), 0);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
}

function oldFile(folder: string, number: number): string {
  return path.join(folder, `${LOG_FILE}.${number}`);
}
