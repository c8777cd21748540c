/** Where things are: the home directory and the files in it. */

import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { HermesError } from "../errors.js";

export type Env = Readonly<Record<string, string | undefined>>;

export interface HomePaths {
  home: string;
  stateDb: string;
  configFile: string;
  envFile: string;
  sessionsDir: string;
  sessionsIndex: string;
  memoriesDir: string;
  hooksDir: string;
  pluginsDir: string;
  backupsDir: string;
  lockFile: string;
  logsDir: string;
  /** The owner's own token, where none is configured. */
  dashboardToken: string;
  chatHistory: string;
}

/** Folders for files, under the home. */
export const MEDIA_FOLDERS = {
  /** Files that came in. */
  incoming: "media/in",
  /** Files that the agent may send. */
  outgoing: "media/out",
  /** Copies of files that were or will be sent. */
  sent: "media/sent",
} as const;

/** Long results of tools, under the home. */
export const SPILL_FOLDER = "cache/spillover";
/** How long they are kept. */
export const SPILL_HOURS = 24;

/** Folders with people's messages and files: never sent from, even if a parent folder is allowed. */
export const KEPT_FOLDERS: readonly string[] = [
  ...["sessions", "memories", "backups", "logs"],
  MEDIA_FOLDERS.incoming,
  MEDIA_FOLDERS.sent,
  SPILL_FOLDER,
];

/** `HERMES_HOME`, else `~/.hermes`; always absolute. */
export function resolveHome(env: Env): string {
  const userHome = env.HOME || homedir();
  const wanted = env.HERMES_HOME?.trim();
  if (!wanted) return join(userHome, ".hermes");
  return resolve(wanted.replace(/^~(?=$|[/\\])/, () => userHome));
}

export function homePaths(home: string): HomePaths {
  const sessionsDir = join(home, "sessions");
  return {
    home,
    stateDb: join(home, "state.db"),
    configFile: join(home, "config.yaml"),
    envFile: join(home, ".env"),
    sessionsDir,
    sessionsIndex: join(sessionsDir, "sessions.json"),
    memoriesDir: join(home, "memories"),
    hooksDir: join(home, "hooks"),
    pluginsDir: join(home, "plugins"),
    backupsDir: join(home, "backups"),
    lockFile: join(home, "gateway.lock"),
    logsDir: join(home, "logs"),
    dashboardToken: join(home, "dashboard.token"),
    chatHistory: join(home, "chat_history"),
  };
}

/** Creates the home with mode 0700. `home-modes.ts` handles existing ones. */
export function ensureHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new HermesError("unavailable", `can't create the home ${home}: ${(error as Error).message}`, {
      hint: "Set HERMES_HOME to a directory that this user may write.",
      cause: error,
    });
  }
}
