/** Carries out `planOf`'s plan, in an order that leaves an adoptable home after a crash at any point. */

import { randomUUID } from "node:crypto";
import { chmod, copyFile, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { TERMINAL } from "../../adapters/cli/index.js";
import { fileStamp, nowSeconds } from "../../clock.js";
import { homePaths } from "../../config/paths.js";
import { isolationOf } from "../../rules.js";
import { adoptIndex } from "../../sessions/adopt.js";
import { FilesThread } from "../../sessions/files-thread.js";
import { membershipOf, openStore } from "../../store/open.js";
import type { OnProgress } from "../../store/store.js";
import type { HomeLook } from "./look.js";
import type { Change, Plan } from "./plan.js";

export interface Adopted {
  /** Copies of what was there before. */
  kept: string[];
  chats: number;
  people: number;
  /** Paths made private. */
  tightened: number;
  problems: string[];
}

export async function carryOut(look: HomeLook, plan: Plan, onProgress: OnProgress): Promise<Adopted> {
  // Holds the lock, so that no gateway starts in the meantime.
  const lock = await membershipOf(look.home).join({
    ...{ pid: process.pid, started_at: nowSeconds(), boot_id: randomUUID(), url: null },
  });
  try {
    const permissions = await tighten(look.exposed);
    const before = await copiesIn(look.home);
    const index = await keepIndex(look, plan.changes);
    const done = await intoStore(look, onProgress);
    const fresh = (await copiesIn(look.home)).filter((name) => !before.includes(name));
    return {
      kept: [...fresh.map((name) => join(look.home, name)), ...index],
      chats: done.chats,
      people: done.people,
      tightened: look.exposed.length - permissions.length,
      problems: [...done.problems, ...permissions],
    };
  } finally {
    await lock.leave();
  }
}

async function intoStore({ home, settings, pairing }: HomeLook, onProgress: OnProgress) {
  const { stateDb, sessionsIndex } = homePaths(home);
  const store = await openStore({ path: stateDb, onProgress, foreign: "adopt", migrate: true });
  const files = new FilesThread();
  try {
    const isolation = isolationOf(settings.config!);
    const index = { store, files, path: sessionsIndex, isolation, except: TERMINAL };
    const { adopted, problems } = await adoptIndex(index);
    const { people } = await store.adopt({ people: pairing.people });
    return { chats: adopted, people, problems };
  } finally {
    await files.close();
    await store.close();
  }
}

/** The gateway rewrites the file and would drop entries it can't read. */
async function keepIndex({ home, index }: HomeLook, changes: readonly Change[]): Promise<string[]> {
  const isTaken = changes.some(({ what }) => what === "chats");
  if (!isTaken || typeof index !== "object" || "corrupt" in index) return [];
  const { sessionsIndex } = homePaths(home);
  const copy = `${sessionsIndex}.before-adopt-${fileStamp()}`;
  await copyFile(sessionsIndex, copy);
  await chmod(copy, 0o600);
  return [copy];
}

async function copiesIn(home: string): Promise<string[]> {
  const file = basename(homePaths(home).stateDb);
  return (await readdir(home)).filter((name) => /^\.(?:v|layout)\d+-/.test(name.replace(file, "")));
}

/** Returns what failed. */
async function tighten(paths: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const path of paths) {
    try {
      await chmod(path, (await stat(path)).mode & 0o700);
    } catch (error) {
      problems.push(`${path} is still readable by others: ${(error as Error).message}`);
    }
  }
  return problems;
}
