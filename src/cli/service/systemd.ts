import { execFile } from "node:child_process";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { HermesError } from "../../errors.js";
import { io } from "../io.js";
import { type Scope, UNIT_NAME } from "./unit.js";

const run = promisify(execFile);
const TIMEOUT_MS = 90_000;

export function unitPath(scope: Scope, env: NodeJS.ProcessEnv = io().env): string {
  if (scope === "system") return join("/etc/systemd/system", UNIT_NAME);
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
  return join(config, "systemd/user", UNIT_NAME);
}

export async function systemctl(scope: Scope, ...args: string[]): Promise<void> {
  const words = scope === "user" ? ["--user", ...args] : args;
  try {
    await run("systemctl", words, { timeout: TIMEOUT_MS, env: io().env });
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException & { stderr?: string }, words);
  }
}

/** The pid of the service's process; undefined if it doesn't run, or systemd isn't there. */
export async function mainPid(scope: Scope): Promise<number | undefined> {
  const words = [...(scope === "user" ? ["--user"] : []), "show", "-p", "MainPID", "--value", UNIT_NAME];
  try {
    const { stdout } = await run("systemctl", words, { timeout: TIMEOUT_MS, env: io().env });
    return Number(stdout.trim()) || undefined;
  } catch {
    // Without systemd no service runs.
    return undefined;
  }
}

function explained(
  error: NodeJS.ErrnoException & { stderr?: string },
  words: readonly string[],
): HermesError {
  if (error.code === "ENOENT") {
    return new HermesError("unavailable", "This machine has no systemd.", {
      hint: "`hermes gateway install --print` shows the unit; run `hermes gateway` under your own supervisor, or use docker-compose.yml.",
      cause: error,
    });
  }
  const said = error.stderr?.trim() || error.message;
  return new HermesError("unavailable", `systemctl ${words.join(" ")} failed: ${said}`, {
    hint: words.includes("--user")
      ? "Log in as that user in its own session (not su), or install for the machine: sudo hermes gateway install --system."
      : "Run it as root: sudo hermes gateway install --system.",
    cause: error,
  });
}

/** A system service runs as the user who called sudo. */
export function serviceUser(env: NodeJS.ProcessEnv = io().env): string {
  return env.SUDO_USER || userInfo().username;
}
