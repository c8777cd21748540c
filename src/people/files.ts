/** A person's data outside the database. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { TERMINAL } from "../adapters/cli/index.js";
import { type HomePaths, MEDIA_FOLDERS } from "../config/paths.js";
import { isUnfinishedCopy } from "../leftovers.js";
import { ifMissing } from "../missing.js";
import type { ErasurePlan } from "../store/people.js";
import { memoryFile } from "../tools/memory-files.js";

export interface PersonFiles {
  /** The agent's notes about the person, one file per id. */
  memories: string[];
  /** Files of their chats. */
  media: string[];
  /** The input history of terminals, which have one person only. */
  history: string[];
}

export async function filesOf(plan: ErasurePlan, paths: HomePaths): Promise<PersonFiles> {
  const { platform } = plan.person;
  const memories = plan.ids.map((userId) => memoryFile(paths.memoriesDir, { platform, userId }));
  return {
    memories: await existing(memories),
    media: await existing(plan.files.map((file) => join(paths.home, file))),
    history: platform === TERMINAL ? await existing([paths.chatHistory]) : [],
  };
}

export async function removeFiles({ memories, media, history }: PersonFiles): Promise<void> {
  for (const file of [...memories, ...media, ...history]) await rm(file, { force: true });
}

export async function fileExists(file: string): Promise<boolean> {
  return (await stat(file).catch(ifMissing(undefined))) !== undefined;
}

async function existing(files: readonly string[]): Promise<string[]> {
  const exist = await Promise.all(files.map(fileExists));
  return files.filter((_, i) => exist[i]);
}

const COPIES = /^(?:state\.db\.(?:v\d+|layout\d+|repair)-|before-restore-|sessions\.json\.)/;

/** Copies of the home and unfinished files. An erasure doesn't change them, but its report lists them. */
export async function copiesOf(paths: HomePaths, backupFolder: string): Promise<string[]> {
  const files = await Promise.all([
    filesIn(backupFolder, (name) => /\.(?:tar\.gz|partial)$/.test(name)),
    filesIn(join(paths.home, MEDIA_FOLDERS.incoming), (name) => name.endsWith(".part")),
    filesIn(paths.home, (name) => COPIES.test(name) || isUnfinishedCopy(name)),
  ]);
  return files.flat().toSorted();
}

async function filesIn(folder: string, matches: (name: string) => boolean): Promise<string[]> {
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  return names.filter(matches).map((name) => join(folder, name));
}
