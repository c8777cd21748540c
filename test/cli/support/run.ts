import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { run } from "../../../src/cli/run.js";
import { needsProgram } from "../../support/needs-program.js";
import { passedOn } from "../../support/passed-on.js";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The compiled command line, as users run it; the global setup of the tests has made it. */
export const HERMES = join(ROOT, "dist/cli/hermes.js");

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hermes-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Only this much of the machine's settings: no colours, no debugging, no other home. */
function environment(home: string, env: Record<string, string>): Record<string, string> {
  return { ...passedOn(), HOME: home, HERMES_HOME: home, ...env };
}

/** A process of the real program, for tests of signals, pipes and exit codes. */
export function spawnHermes(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess {
  needsProgram();
  return spawn(process.execPath, [HERMES, ...args], { cwd: ROOT, env: environment(home, env) });
}

export async function finished(child: ChildProcess): Promise<Ran> {
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return { code, stdout, stderr };
}

/** Runs `hermes` in this process, with `input` on stdin. With `columns`, it prints to a terminal of this width. */
export async function runHermes(
  home: string,
  args: readonly string[],
  input = "",
  env: Record<string, string> = {},
  columns?: number,
): Promise<Ran> {
  const [stdout, stderr] = [new Collected(columns), new Collected(columns)];
  const exits = new EventEmitter();
  const code = await Promise.race([
    run(args, {
      stdin: Readable.from(input === "" ? [] : [Buffer.from(input)]),
      ...{ stdout, stderr, env: environment(home, env), cwd: ROOT },
      signals: new EventEmitter(),
      exit: (code) => void exits.emit("exit", code),
    }),
    once(exits, "exit").then(([code]) => code as number),
  ]);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collected extends Writable {
  readonly isTTY: boolean;
  readonly #chunks: Buffer[] = [];

  readonly columns: number | undefined;

  constructor(columns?: number) {
    super();
    this.columns = columns;
    this.isTTY = columns !== undefined;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

/** For commands that must succeed: their output, with nothing on stderr. */
export async function hermes(home: string, ...args: string[]): Promise<string> {
  const ran = await runHermes(home, args);
  if (ran.code !== 0 || ran.stderr !== "")
    throw new Error(`hermes ${args.join(" ")}: ${JSON.stringify(ran)}`);
  return ran.stdout;
}

export async function hermesJson<T>(home: string, ...args: string[]): Promise<T> {
  return JSON.parse(await hermes(home, ...args, "--json")) as T;
}
