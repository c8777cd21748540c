/** The process of a server, in its own group: its child processes end with it. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { settlesWithin } from "../timeout.js";

export interface ProcessSettings {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
}

/** Grace period after its input is closed, and again after SIGTERM. */
const GRACE_MS = 1000;
const TERM_MS = 2000;
/** How much of its last stderr output is kept. */
const STDERR_CHARS = 2000;

export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects if it can't be started. */
  readonly started: Promise<void>;
  /** Resolves when it and its group are gone. */
  readonly ended: Promise<void>;
  #lastWords = "";
  #ending: Promise<void> | undefined;

  constructor({ command, args, env }: ProcessSettings) {
    const child = spawn(command, [...args], { env, detached: true, stdio: "pipe", windowsHide: true });
    this.child = child;
    this.started = new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    this.started.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      child.once("error", () => child.pid === undefined && resolve());
      child.once("exit", () => {
        this.#signal("SIGKILL");
        resolve();
      });
    });
    child.stdin.on("error", () => undefined);
    child.stdout.on("error", () => undefined);
    child.stderr.on("error", () => undefined);
    child.stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("utf8")).slice(-STDERR_CHARS);
    });
  }

  /** The last line that it wrote to its standard error. */
  get lastLine(): string {
    return this.#lastWords.trimEnd().split("\n").at(-1)!.trim();
  }

  /** Closes its input, then asks, then kills the whole group. Never rejects. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const { child } = this;
    if (child.pid === undefined) return this.ended;
    child.stdin.end();
    if (!(await settlesWithin(this.ended, GRACE_MS))) {
      this.#signal("SIGTERM");
      if (!(await settlesWithin(this.ended, TERM_MS))) this.#signal("SIGKILL");
    }
    await this.ended;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  /** Signals the group, which may be gone. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Nothing is left of it.
    }
  }
}
