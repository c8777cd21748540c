/** The daemon's log: rotated JSON lines in `logs/`, so that `hermes gateway logs` always works. */
import fs from "node:fs";
import path from "node:path";
import type { DestinationStream } from "pino";

export const LOG_FILE = "hermes-gateway.log";
const MAX_BYTES = 10 * 1024 * 1024;
/** Besides the current file. */
const MAX_OLD_FILES = 3;

/** From the oldest to the current file. */
export function logFiles(folder: string): string[] {
  const old = Array.from({ length: MAX_OLD_FILES }, (_, i) => oldFile(folder, MAX_OLD_FILES - i));
  return [...old, path.join(folder, LOG_FILE)].filter((file) => fs.existsSync(file));
}

/** The last whole lines of all files, at most this many bytes, oldest first. */
export function lastLines(folder: string, maxBytes: number): string[] {
  let text = "";
  for (const file of logFiles(folder).toReversed()) {
    text = endOf(file, maxBytes - Buffer.byteLength(text)) + text;
    if (Buffer.byteLength(text) >= maxBytes) break;
  }
  return text.split("\n").filter((line) => line !== "");
}

/** The end of a file, from the start of a line. Empty if the file can't be read. */
function endOf(file: string, maxBytes: number): string {
  let fd: number;
  try {
    fd = fs.openSync(file, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fs.fstatSync(fd);
    const from = Math.max(0, size - maxBytes);
    const bytes = Buffer.alloc(size - from);
    const read = bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, from));
    return (from === 0 ? read : read.subarray(read.indexOf("\n") + 1)).toString("utf8");
  } finally {
    fs.closeSync(fd);
  }
}

/** Lines that are buffered before `begin`. */
const MAX_WAITING = 100;

/**
 * Writes nothing before `begin`, because the home may belong to another running gateway. Never throws: lines
 * that can't be written (disk full) still go to standard error.
 */
export class LogFile implements DestinationStream {
  readonly folder: string;
  readonly #watchers = new Set<(line: string) => void>();
  #waiting: string[] | undefined = [];
  #fd: number | undefined;
  #bytes = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  begin(): void {
    const lines = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const line of lines) this.write(line);
  }

  /** Calls the watcher for every new line. It must be quick and not throw. Returns a function to stop it. */
  watch(watcher: (line: string) => void): () => void {
    const own = (line: string) => watcher(line);
    this.#watchers.add(own);
    return () => this.#watchers.delete(own);
  }

  write(line: string): void {
    for (const watcher of this.#watchers) watcher(line);
    if (this.#waiting) {
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push(line);
      return;
    }
    try {
      this.#fd ??= this.#open();
      this.#bytes += fs.writeSync(this.#fd, line);
      if (this.#bytes >= MAX_BYTES) this.#rotate();
    } catch {
      // An unwritable folder is reported by the check of the home at startup.
      this.close();
    }
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const fd = fs.openSync(path.join(this.folder, LOG_FILE), "a", 0o600);
    this.#bytes = fs.fstatSync(fd).size;
    return fd;
  }

  #rotate(): void {
    this.close();
    for (let number = MAX_OLD_FILES; number > 1; number -= 1)
      if (fs.existsSync(oldFile(this.folder, number - 1)))
        fs.renameSync(oldFile(this.folder, number - 1), oldFile(this.folder, number));
    fs.renameSync(path.join(this.folder, LOG_FILE), oldFile(this.folder, 1));
  }
}

/**
 * Removes lines that contain one of these ids. Changes the files in place, because a running gateway keeps
 * writing to them; a line written at the same moment may be lost.
 */
export function removeLogLines(folder: string, ids: readonly string[]): void {
  for (const file of logFiles(folder)) {
    const lines = fs.readFileSync(file, "utf8").split("\n");
    const kept = lines.filter((line) => !ids.some((id) => mentions(line, id)));
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

/** Shorter ids are parts of many other words: erasing `42` or `me` would remove most of the log. */
const LONG = 6;

function mentions(line: string, id: string): boolean {
  if (id === "") return false;
  if (id.length >= LONG) return line.includes(id);
  const goesOn = (at: number) => /[\p{L}\p{N}]/u.test(line[at] ?? "");
  // In JSON, a letter after a backslash is an escape such as a line break.
  const isPart = (at: number) => (goesOn(at - 1) && line[at - 2] !== "\\") || goesOn(at + id.length);
  for (let at = line.indexOf(id); at !== -1; at = line.indexOf(id, at + 1)) if (!isPart(at)) return true;
  return false;
}

function oldFile(folder: string, number: number): string {
  return path.join(folder, `${LOG_FILE}.${number}`);
}
