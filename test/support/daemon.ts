import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atEnd } from "./at-end.js";
import { needsProgram } from "./needs-program.js";
import { passedOn } from "./passed-on.js";
import { tempDir } from "./temp.js";

/** The real program, as its users start it. */
export const HERMES = fileURLToPath(new URL("../../dist/cli/hermes.js", import.meta.url));
const READY = "Hermes Gateway is running: ";

export interface DaemonOptions {
  home?: string;
  /** `config.yaml` of a home that has none yet. */
  yaml?: string;
  args?: readonly string[];
  /** Another program that runs the gateway: arguments for Node. */
  program?: readonly string[];
}

/** One home and the gateways that run on it, one after another, on the same port. */
export class Daemon {
  readonly home: string;
  readonly #args: readonly string[];
  readonly #program: readonly string[];
  #port = "0";
  #run: Run | undefined;

  constructor({ home = path.join(tempDir(), "home"), yaml, args = [], program }: DaemonOptions = {}) {
    this.home = home;
    this.#args = args;
    this.#program = program ?? [HERMES];
    if (yaml !== undefined) this.configure(yaml);
  }

  /** For the next start. */
  configure(yaml: string): void {
    fs.mkdirSync(this.home, { recursive: true, mode: 0o700 });
    fs.writeFileSync(this.file("config.yaml"), yaml, { mode: 0o600 });
  }

  /** Resolves when it is ready; rejects with its stderr if it exits before. */
  async start(env: Record<string, string> = {}): Promise<this> {
    const run = this.launch(env);
    await run.ready;
    return this;
  }

  /** Starts it and doesn't wait. */
  launch(env: Record<string, string> = {}): Run {
    const run = new Run(["gateway", "--port", this.#port, ...this.#args], this.home, env, this.#program);
    void run.ready.then(
      (url) => {
        this.#port = new URL(url).port;
      },
      () => undefined,
    );
    this.#run = run;
    return run;
  }

  get run(): Run {
    if (!this.#run) throw new Error("The daemon was not started");
    return this.#run;
  }

  /** The same for every start after the first. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.run.pid;
  }

  /** Also its platforms are connected. */
  async isReady(): Promise<boolean> {
    return (await fetch(`${this.url}/readyz`)).status === 200;
  }

  /** Kills it, with SIGKILL by default. Returns how it ended. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Ending> {
    this.run.signal(signal);
    return this.run.ended;
  }

  /** Stops it gracefully and returns its exit code. */
  async stop(): Promise<number | null> {
    return (await this.kill("SIGTERM")).code;
  }

  async restart(env: Record<string, string> = {}): Promise<this> {
    await this.kill();
    return this.start(env);
  }

  file(...names: string[]): string {
    return path.join(this.home, ...names);
  }
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** One process of the program, killed at the end of the test. */
export class Run {
  readonly ready: Promise<string>;
  readonly ended: Promise<Ending>;
  /** Its ready line has come. */
  isReady = false;
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;

  constructor(
    args: readonly string[],
    home: string,
    env: Record<string, string> = {},
    program: readonly string[] = [HERMES],
  ) {
    needsProgram();
    this.#child = spawn(process.execPath, [...program, ...args], {
      env: { ...passedOn(), NO_COLOR: "1", HERMES_HOME: home, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stderr!.on("data", (chunk) => {
      this.stderr += chunk;
    });
    this.ended = new Promise((resolve) =>
      this.#child.once("close", (code, signal) => resolve({ code, signal })),
    );
    this.ready = this.#readyLine();
    this.ready.catch(() => undefined);
    atEnd(async () => {
      this.signal("SIGKILL");
      await this.ended;
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.isOver) this.#child.kill(signal);
  }

  /** Lines of the log with this message, as objects. */
  logged(message: string): Record<string, unknown>[] {
    const lines = this.stderr.split("\n").filter((line) => line.startsWith("{"));
    return lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === message);
  }

  async #readyLine(): Promise<string> {
    const lines = createInterface(this.#child.stdout!);
    const found = new Promise<string>((resolve) => {
      lines.on("line", (line) => {
        this.stdout += `${line}\n`;
        if (!line.startsWith(READY)) return;
        this.isReady = true;
        resolve(line.slice(READY.length));
      });
    });
    const url = await Promise.race([found, this.ended.then(() => undefined)]);
    if (url === undefined) throw new Error(`The gateway ended before it was ready: ${this.stderr}`);
    return url;
  }
}

/** Runs `hermes …` in a process of its own, to its end. */
export async function hermes(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const run = new Run(args, home, env);
  const { code } = await run.ended;
  return { code, stdout: run.stdout, stderr: run.stderr };
}
