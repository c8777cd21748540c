import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
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

export function startHermes(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess {
  // Nothing of the machine's own settings: no colours, no debugging, no other home.
  return spawn(process.execPath, [HERMES, ...args], {
    cwd: ROOT,
    env: { ...passedOn(), HOME: home, HERMES_HOME: home, ...env },
  });
}

export async function finished(child: ChildProcess): Promise<Ran> {
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return { code, stdout, stderr };
}

/** Runs `hermes` to its end, with `input` on its standard input. */
export function runHermes(home: string, args: readonly string[], input = ""): Promise<Ran> {
  const child = startHermes(home, args);
  child.stdin!.end(input);
  return finished(child);
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
