import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { needsProgram } from "../../support/needs-program.js";
import { HERMES, ROOT, temporaryFolder } from "./run.js";

const PATIENCE_MS = 25_000;
const LOOK_AGAIN_MS = 50;

/** A real terminal, kept by a tmux server of its own that goes with the test. */
export interface Screen {
  press(...keys: string[]): void;
  type(text: string): void;
  /** As a terminal hands in what was copied elsewhere. */
  paste(text: string): void;
  /** Resizes the window; its text is rewrapped. */
  resize(columns: number): void;
  /** The screen as soon as it matches; an error that shows it if it never does. */
  until(pattern: RegExp): Promise<string>;
}

/** Runs `hermes` in a terminal; when it ends, the screen says `exit=<code>`. */
export function openScreen(
  home: string,
  args: readonly string[],
  columns = 120,
  env: Record<string, string> = {},
): Screen {
  needsProgram();
  const socket = join(temporaryFolder(), "tmux");
  const tmux = (...words: string[]) => runTmux(["-S", socket, "-u", "-f", "/dev/null", ...words]);
  const command = [process.execPath, HERMES, ...args].map(quoted).join(" ");
  onTestFinished(() => void runTmuxQuietly(["-S", socket, "kill-server"]));
  tmux(
    "new-session",
    "-d",
    "-x",
    String(columns),
    "-y",
    "40",
    "-c",
    ROOT,
    ...Object.entries({ HERMES_HOME: home, ...env }).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    `${command}; echo exit=$?; exec cat`,
  );
  return {
    press: (...keys) => void tmux("send-keys", ...keys),
    type: (text) => void tmux("send-keys", "-l", "--", text),
    paste: (text) => {
      tmux("set-buffer", "--", text);
      tmux("paste-buffer", "-p");
    },
    resize: (columns) => void tmux("resize-window", "-x", String(columns)),
    until: (pattern) => waitFor(() => tmux("capture-pane", "-p", "-J"), pattern),
  };
}

async function waitFor(look: () => string, pattern: RegExp): Promise<string> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const screen = look();
    if (pattern.test(screen)) return screen;
    if (Date.now() > end) throw new Error(`The screen never matched ${pattern}:\n${screen}`);
    await delay(LOOK_AGAIN_MS);
  }
}

function runTmux(args: readonly string[]): string {
  const { PATH } = process.env;
  try {
    return execFileSync("tmux", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH, LC_ALL: "C.UTF-8" },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error("This test drives a real terminal and needs tmux: install it (apt-get install tmux).");
  }
}

function runTmuxQuietly(args: readonly string[]): void {
  try {
    runTmux(args);
  } catch {
    // The server may be gone already, or tmux missing, which the test has said.
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
