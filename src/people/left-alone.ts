/** Data that an erasure doesn't change and the operator should know about. */

import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { HomePaths } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { LOG_FILE } from "../log-file.js";
import type { Person } from "../message.js";
import { ifMissing } from "../missing.js";
import type { ErasurePlan } from "../store/people.js";
import { copiesOf } from "./files.js";
import { formatPerson } from "./person.js";
import type { LeftAlone } from "./types.js";

/** The current state of the home. */
export interface HomeState {
  paths: HomePaths;
  /** Undefined: it is invalid, which must not block an erasure. */
  config: Config | undefined;
  /** The running gateway's boot id; null: not known yet; undefined: no gateway is running. */
  bootId: string | null | undefined;
}

export async function leftAlone(
  person: Person,
  plan: ErasurePlan,
  { paths, config, bootId }: HomeState,
): Promise<LeftAlone> {
  const folder = config?.backup.folder ?? null;
  return {
    copies: await copiesOf(paths, folder === null ? paths.backupsDir : resolve(paths.home, folder)),
    settings: namedIn(config, person, plan.ids),
    schedules: plan.schedulesTo,
    logs: (await hasOtherLogs(paths.logsDir)) ? paths.logsDir : null,
    gatewayRuns: bootId !== undefined,
  };
}

async function hasOtherLogs(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  return names.some((name) => !name.startsWith(LOG_FILE));
}

/** Settings with the person's id: bare under their platform, or as `platform:id` anywhere. Pure. */
export function namedIn(config: unknown, { platform }: Person, ids: readonly string[]): string[] {
  const full = ids.map((userId) => formatPerson({ platform, userId }));
  const settings = new Set<string>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "string" || typeof value === "number") {
      const isHere = path[0] !== "platforms" || path[1] === platform;
      if (full.includes(String(value)) || (isHere && ids.includes(String(value)) && isPeople(path)))
        settings.add(path.join("."));
    } else if (Array.isArray(value)) {
      for (const inner of value) walk(inner, path);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
    }
  };
  walk(config, []);
  return [...settings];
}

/** Only settings about people and chats count: a port may equal an id. */
function isPeople(path: readonly string[]): boolean {
  return /allow|owner|home|channel|chat/.test(path.at(-1) ?? "");
}
