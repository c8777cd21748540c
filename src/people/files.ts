/** A person's data outside the database. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { TERMINAL } from "../adapters/cli/index.js";
import { type HomePaths, MEDIA_FOLDERS } from "../config/paths.js";
import { isUnfinishedCopy } from "../leftovers.js";
import type { ErasurePlan } from "../store/people.js";
import { memoryFile } from "../tools/memory-files.js";

export interface PersonFiles {
  /** Notes of the agent about them, one for each id. */
  memories: string[];
  /** Files of their chats. */
  media: string[];
  /** The input history of terminals, of one person only. */
  history: string[];
}

export async function filesOf(plan: ErasurePlan, paths: HomePaths): Promise<PersonFiles> {
  const { platform } = plan.person;
  const memories = plan.ids.map((userId) => memoryFile(paths.memoriesDir, { platform, userId }));
  return {
    memories: await thoseThere(memories),
    media: await thoseThere(plan.files.map((file) => join(paths.home, file))),
    history: platform === TERMINAL ? await thoseThere([paths.chatHistory]) : [],
  };
}

export async function removeFiles({ memories, media, history }: PersonFiles): Promise<void> {
  for (const file of [...memories, ...media, ...history]) await rm(file, { force: true });
}

export async function isThere(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

async function thoseThere(files: readonly string[]): Promise<string[]> {
  const there = await Promise.all(files.map(isThere));
  return files.filter((_, i) => there[i]);
}

const COPIES = /^(?:state\.db\.(?:v\d+|layout\d+|repair)-|before-restore-|sessions\.json\.)/;

/** Copies of the home, and files that are still being written, that an erasure doesn't change: the report lists them. */
export async function copiesOf(paths: HomePaths, backupFolder: string): Promise<string[]> {
  const found = await Promise.all([
    namesIn(backupFolder, (name) => /\.(?:tar\.gz|partial)$/.test(name)),
    namesIn(join(paths.home, MEDIA_FOLDERS.incoming), (name) => name.endsWith(".part")),
    namesIn(paths.home, (name) => COPIES.test(name) || isUnfinishedCopy(name)),
  ]);
  return found.flat().toSorted();
}

async function namesIn(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter(isWanted).map((name) => join(folder, name));
}
