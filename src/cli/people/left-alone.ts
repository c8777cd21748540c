/** Data that an erasure doesn't change and the operator should know about. */

import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type LoadedConfig, loadConfig } from "../../config/load.js";
import type { HomePaths } from "../../config/paths.js";
import { LOG_FILE } from "../../log-file.js";
import type { Person } from "../../message.js";
import { membershipOf } from "../../store/open.js";
import type { ErasurePlan } from "../../store/people.js";
import { io } from "../io.js";
import { copiesOf } from "./files.js";
import { formatPerson } from "./person.js";

export interface LeftAlone {
  /** Copies of the home, from before. */
  copies: string[];
  /** Settings that name the person: `platforms.telegram.allow_from`. */
  settings: string[];
  /** Schedules of others that write to them. */
  schedules: string[];
  /** Logs of other programs. */
  logs: string | null;
  gatewayRuns: boolean;
  bootId: string | null;
}

export async function leftAlone(person: Person, plan: ErasurePlan, paths: HomePaths): Promise<LeftAlone> {
  const { running, info } = await membershipOf(paths.home).state();
  const config = configOf(paths.home);
  const folder = config?.backup.folder ?? null;
  return {
    copies: await copiesOf(paths, folder === null ? paths.backupsDir : resolve(paths.home, folder)),
    settings: namedIn(config, person, plan.ids),
    schedules: plan.schedulesTo,
    logs: (await hasOtherLogs(paths.logsDir)) ? paths.logsDir : null,
    gatewayRuns: running,
    bootId: running ? (info?.boot_id ?? null) : null,
  };
}

async function hasOtherLogs(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => !name.startsWith(LOG_FILE));
}

/** An invalid configuration must not block an erasure. */
function configOf(home: string): LoadedConfig["config"] | undefined {
  try {
    return loadConfig({ home, env: io().env }).config;
  } catch {
    return undefined;
  }
}

/** Settings with the person's id: bare under their platform, or as `platform:id` anywhere. Pure. */
export function namedIn(config: unknown, { platform }: Person, ids: readonly string[]): string[] {
  const full = ids.map((userId) => formatPerson({ platform, userId }));
  const found = new Set<string>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "string" || typeof value === "number") {
      const isHere = path[0] !== "platforms" || path[1] === platform;
      if (full.includes(String(value)) || (isHere && ids.includes(String(value)) && isPeople(path)))
        found.add(path.join("."));
    } else if (Array.isArray(value)) {
      for (const inner of value) walk(inner, path);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
    }
  };
  walk(config, []);
  return [...found];
}

/** Lists of people and chats; a port may equal an id. */
function isPeople(path: readonly string[]): boolean {
  return /allow|owner|home|channel|chat/.test(path.at(-1) ?? "");
}
