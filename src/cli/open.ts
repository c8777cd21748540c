import { stat } from "node:fs/promises";
import { ensureHome, homePaths, resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import type { Transcripts } from "../sessions/transcript.js";
import type { Store } from "../store/store.js";
import { withProgress } from "./progress.js";

/**
 * Opens the store for one command and always closes it. Where no file exists yet, none is made: `absent` answers. A file that was
 * not adopted can be read, not written.
 */
export async function withStore<T>(
  work: (store: Store) => Promise<T>,
  absent: () => T | Promise<T>,
): Promise<T> {
  const { stateDb } = homePaths(resolveHome(process.env));
  return (await exists(stateDb)) ? useStore(stateDb, work, "read") : absent();
}

/** The same for commands that bring data: the home and the file are made where they are missing. */
export async function withNewStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const home = resolveHome(process.env);
  ensureHome(home);
  return useStore(homePaths(home).stateDb, work, "refuse");
}

/** The transcripts beside the database: what is deleted there goes here too. */
export async function transcripts(): Promise<Transcripts> {
  const { Transcripts } = await import("../sessions/transcript.js");
  return new Transcripts({ dir: homePaths(resolveHome(process.env)).sessionsDir });
}

/** For commands that make no sense without a database. */
export function noDatabase(): never {
  const { stateDb } = homePaths(resolveHome(process.env));
  throw new HermesError("not_found", `There is no database at ${stateDb}.`, {
    hint: "Name another home with --home DIR or HERMES_HOME.",
  });
}

async function useStore<T>(
  path: string,
  work: (store: Store) => Promise<T>,
  foreign: "read" | "refuse",
): Promise<T> {
  const { openStore } = await import("../store/sqlite/index.js");
  const store = await withProgress((onProgress) => openStore({ path, onProgress, foreign }));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Only "isn't there" counts as absent: a home that can't be read must not look like an empty one. */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    throw new HermesError("unavailable", `Can't read ${path} (${code ?? "unknown error"}).`, {
      hint: "Run hermes as its owner, or name another home with --home DIR or HERMES_HOME.",
      cause,
    });
  }
}
