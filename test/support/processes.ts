import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { needsProgram } from "./needs-program.js";

/** A real process whose output is read line by line. Killed at the end of the test. */
export class Process {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  #stderr = "";
  #ended: string | undefined;
  #waiting: (() => void)[] = [];

  constructor(command: string, args: readonly string[], options: SpawnOptions = {}) {
    this.child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdin?.on("error", () => undefined);
    this.child.stderr?.on("data", (chunk) => (this.#stderr += chunk));
    createInterface(this.child.stdout!).on("line", (line) => {
      this.lines.push(line);
      this.#wake();
    });
    this.child.on("error", (error) => this.#end(error.message));
    this.child.on("close", (code, signal) => this.#end(signal ?? String(code)));
    onTestFinished(() => this.kill());
  }

  /** The first line that begins so, now or later. */
  async line(start: string): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => line.startsWith(start));
      if (found !== undefined) return found;
      if (this.#ended !== undefined)
        throw new Error(`ended with ${this.#ended} before "${start}": ${this.#stderr}`);
      await this.#change();
    }
  }

  send(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** Exit code as text, or the signal's name. */
  async end(): Promise<string> {
    this.child.stdin?.end();
    while (this.#ended === undefined) await this.#change();
    return this.#ended;
  }

  /** The last line as JSON, once it has ended well. */
  async result<T>(): Promise<T> {
    const ended = await this.end();
    if (ended !== "0") throw new Error(`ended with ${ended}: ${this.#stderr}`);
    return JSON.parse(this.lines.at(-1)!) as T;
  }

  /** At once and without a word, as a power cut would. */
  async kill(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.child.kill("SIGKILL");
    while (this.#ended === undefined) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #end(how: string): void {
    this.#ended ??= how;
    this.#wake();
  }
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Opens the file, runs one verb of the store, tells about it: see the script. */
export function storeProcess(
  file: string,
  verb = "none",
  args: unknown[] = [],
  options?: SpawnOptions,
): Process {
  needsProgram();
  const script = path("./store-process.mjs");
  return new Process(process.execPath, [script, file, verb, JSON.stringify(args)], options);
}

export interface Appending {
  /** Sessions to write to; each must exist. */
  sessions: readonly string[];
  perSession: number;
  /** Concurrent callers per session; each keeps its own order. */
  callers?: number;
  name: string;
}

export function appendProcess(file: string, work: Appending): Process {
  needsProgram();
  return new Process(process.execPath, [path("./append-process.mjs"), file, JSON.stringify(work)]);
}

/** Python's own sqlite3, as Hermes uses it. `file` and what follows are in `args`. */
export function python(code: string, ...args: string[]): Process {
  const prelude = "import json, sqlite3, sys, time\nargs = sys.argv[1:]\n";
  return new Process("python3", ["-c", prelude + code, ...args]);
}
