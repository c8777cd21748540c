/** Collects everything needed to plan an adoption. Changes nothing. */
import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { TERMINAL } from "../../adapters/cli/index.js";
import { homePaths } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import type { SessionId } from "../../session.js";
import { type IndexContents, readIndex } from "../../sessions/index-file.js";
import { type Survey, surveyFile, usersOfFile } from "../../store/files.js";
import type { MembershipState } from "../../store/membership.js";
import { membershipOf } from "../../store/open.js";
import { exposedPaths } from "../doctor/files.js";
import { type PairingFiles, readPairingFiles } from "./pairing-files.js";
import { checkSettings, type Settings } from "./settings.js";

export interface HomeLook {
  home: string;
  settings: Settings;
  index: IndexContents;
  pairing: PairingFiles;
  /** The sessions that have one. */
  transcripts: SessionId[];
  /** Of `state.db`; undefined if there is none. */
  database: Survey | HermesError | undefined;
  /** Other processes that have it open. */
  users: { pid: number; name: string }[];
  lock: MembershipState;
  /** Paths readable by other users. */
  exposed: string[];
  freeBytes: number;
}

/** Up to this size, reading every page is quick. */
const SMALL_BYTES = 256 * 1024 * 1024;

export async function lookAtHome(home: string, { deep }: { deep: boolean }): Promise<HomeLook> {
  const { stateDb, sessionsIndex, sessionsDir } = homePaths(home);
  const [index, pairing, transcripts] = await Promise.all([
    readIndex(sessionsIndex),
    readPairingFiles(home),
    transcriptsIn(sessionsDir),
  ]);
  const { bavail, bsize } = await statfs(home);
  const bytes = (await stat(stateDb).catch(() => undefined))?.size;
  const mentioned = typeof index === "object" && "entries" in index ? index.entries : [];
  return {
    ...{ home, index, pairing, transcripts },
    settings: checkSettings(home),
    database:
      bytes === undefined
        ? undefined
        : await surveyed(stateDb, {
            ids: [...mentioned.map(({ sessionId }) => sessionId), ...transcripts],
            people: pairing.people,
            terminal: TERMINAL,
            integrity: deep || bytes <= SMALL_BYTES,
          }),
    users: await Promise.all(
      (await usersOfFile(stateDb)).map(async (pid) => ({ pid, name: await nameOf(pid) })),
    ),
    lock: await membershipOf(home).state(),
    exposed: await exposedPaths(home),
    freeBytes: bavail * bsize,
  };
}

/** A file that can't be used is a finding. */
async function surveyed(
  path: string,
  questions: Parameters<typeof surveyFile>[1],
): Promise<Survey | HermesError> {
  try {
    return await surveyFile(path, questions);
  } catch (error) {
    if (error instanceof HermesError) return error;
    throw error;
  }
}

async function transcriptsIn(folder: string): Promise<SessionId[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => name.slice(0, -".jsonl".length));
}

async function nameOf(pid: number): Promise<string> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return name.trim() || "a process";
}
