/** A program in a process group of its own, so that its child processes end with it. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { settlesWithin } from "../../timeout.js";

export interface ChildSettings {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** The variables a program gets from the gateway's environment. Keys and tokens aren't passed on. */
const PASSED_ON =
  "PATH HOME USER LOGNAME LANG LC_ALL LC_CTYPE TERM SHELL TMPDIR TZ XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME".split(
    " ",
  );

export function childEnvironment(
  own: Readonly<Record<string, string>>,
  from: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...own };
}

const TERM_MS = 1000;
const KILL_MS = 2000;
const MAX_STDERR_CHARS = 2000;

export class Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves with the reason when it has ended or could not start. */
  readonly ended: Promise<string>;
  #stderr = "";
  #isOver = false;
  readonly #atExit = () => this.#signal("SIGKILL");

  constructor({ command, args, env, cwd }: ChildSettings) {
    this.process = spawn(command, args, { cwd, env: childEnvironment(env), detached: true, stdio: "pipe" });
    // The `exit` event reports its end.
    for (const stream of [this.process.stdin, this.process.stdout, this.process.stderr])
      stream.on("error", () => undefined);
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARS);
    });
    process.once("exit", this.#atExit);
    this.ended = this.#end(command);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The last output on stderr. */
  get lastWords(): string {
    return this.#stderr.trim();
  }

  /** Ends the whole group: SIGTERM first, then SIGKILL. */
  async kill(): Promise<void> {
    if (!this.#isOver) {
      this.#signal("SIGTERM");
      if (!(await settlesWithin(this.ended, TERM_MS))) this.#signal("SIGKILL");
      await settlesWithin(this.ended, KILL_MS);
    }
  }

  async #end(command: string): Promise<string> {
    try {
      const [code, signal] = (await once(this.process, "exit")) as [number | null, string | null];
      return signal ? `it was ended by ${signal}` : `it exited with code ${code}`;
    } catch (error) {
      return `${command} can't be started: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      this.#isOver = true;
      process.off("exit", this.#atExit);
      // Child processes it left behind.
      this.#signal("SIGKILL");
      for (const stream of [this.process.stdin, this.process.stdout, this.process.stderr]) stream.destroy();
    }
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone.
    }
  }
}
