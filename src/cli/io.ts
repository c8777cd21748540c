import { AsyncLocalStorage } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";

export type Input = Readable & { isTTY?: boolean | undefined };
export type Output = Writable & { isTTY?: boolean | undefined; columns?: number | undefined };

/** Everything a command reads from and writes to outside the home. Commands never use `process` for these. */
export interface Io {
  stdin: Input;
  stdout: Output;
  stderr: Output;
  env: NodeJS.ProcessEnv;
  /** Relative paths on the command line start here. */
  cwd: string;
  /** Emits SIGINT, SIGTERM and SIGHUP. */
  signals: Pick<EventEmitter, "on" | "once" | "off">;
  /** The code that `run` returns. */
  exitCode: number;
  /** Exits immediately, for a second Ctrl-C. */
  exit(code: number): void;
}

/** The process itself, for the real program. */
const PROCESS: Io = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  get cwd() {
    return process.cwd();
  },
  signals: process,
  exitCode: 0,
  exit: (code) => process.exit(code),
};

const current = new AsyncLocalStorage<Io>();

/** The io of the command that is running. */
export function io(): Io {
  return current.getStore() ?? PROCESS;
}

/** Runs `work` with its own io. Without one it runs on the process, and no async context slows the gateway down. */
export function withIo<T>(given: Io | undefined, work: () => T): T {
  return given ? current.run(given, work) : work();
}

export interface Tty {
  input: ReadStream;
  output: WriteStream;
}

/** Both ends of the terminal; undefined where one of them is a file or a pipe. */
export function tty(): Tty | undefined {
  const { stdin, stdout } = io();
  return stdin.isTTY && stdout.isTTY
    ? { input: stdin as ReadStream, output: stdout as WriteStream }
    : undefined;
}

/** The absolute path of a file that was named on the command line. */
export function fromCwd(file: string): string {
  return path.resolve(io().cwd, file);
}
