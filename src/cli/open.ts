import { stat } from "node:fs/promises";
import { ensureHome, homePaths, resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import type { Transcripts } from "../sessions/transcript.js";
import { type OpenOptions, openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import { io } from "./io.js";
import { withProgress } from "./progress.js";

/**
 * Opens the store for one command and always closes it. Without a file, none is created and `absent` answers. A file that was not
 * adopted can be read but not written.
 */
export async function withStore<T>(
  work: (store: Store) => Promise<T>,
  absent: () => T | Promise<T>,
  how: Opening = {},
): Promise<T> {
  const { stateDb } = homePaths(resolveHome(io().env));
  return (await exists(stateDb)) ? useStore(stateDb, work, { ...how, foreign: "read" }) : absent();
}

/** The same for commands that add data: creates the home and the file if they are missing. */
export async function withNewStore<T>(work: (store: Store) => Promise<T>, how: Opening = {}): Promise<T> {
  const home = resolveHome(io().env);
  ensureHome(home);
  return useStore(homePaths(home).stateDb, work, { ...how, foreign: "refuse" });
}

type Opening = Pick<OpenOptions, "threads">;

/** For work of a few milliseconds: starting a thread would take longer. */
export const SHORT: Opening = { threads: false };

/** The transcripts beside the database: deletions apply to both. */
export async function transcripts(): Promise<Transcripts> {
  const { Transcripts } = await import("../sessions/transcript.js");
  return new Transcripts({ dir: homePaths(resolveHome(io().env)).sessionsDir });
}

/** For commands that need a database. */
export function noDatabase(): never {
  const { stateDb } = homePaths(resolveHome(io().env));
  throw new HermesError("not_found", `There is no database at ${stateDb}.`, {
    hint: "Name another home with --home DIR or HERMES_HOME.",
  });
}

async function useStore<T>(
  path: string,
  work: (store: Store) => Promise<T>,
  how: Pick<OpenOptions, "threads" | "foreign">,
): Promise<T> {
  const store = await withProgress((onProgress) => openStore({ path, onProgress, ...how }));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Only ENOENT counts as absent: a home that can't be read must not look like an empty one. */
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
