/** Tells whether `sessions.json` is still the file we wrote, to skip reading it at startup. */
import { stat } from "node:fs/promises";
import { ROUTES_CHANGED } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { FileStamp } from "./index-file.js";

/** A key of `state_meta`: the file's last written state and its inputs. */
export const INDEX_WRITTEN = "gw_index_written";

export interface WrittenIndex extends FileStamp {
  /** The file contains local times. */
  zone: string;
  /** Number of routes in the database. */
  routes: number;
  /** When another process last changed routes. */
  changedAt: string | undefined;
}

export type IndexState =
  /** Ours, with no known change since. */
  | "current"
  /** Ours or missing, and out of date. */
  | "stale"
  /** Another program wrote it. */
  | "foreign";

export function judgeIndex(
  noted: WrittenIndex | undefined,
  found: FileStamp | undefined,
  now: Omit<WrittenIndex, keyof FileStamp>,
): IndexState {
  if (!found) return "stale";
  if (noted?.size !== found.size || noted.mtimeMs !== found.mtimeMs) return "foreign";
  const isSame = noted.zone === now.zone && noted.routes === now.routes && noted.changedAt === now.changedAt;
  return isSame ? "current" : "stale";
}

export async function indexState(
  store: Pick<Store, "getValue" | "listRoutes">,
  path: string,
): Promise<IndexState> {
  const [noted, changedAt, { total = 0 }, found] = await Promise.all([
    store.getValue(INDEX_WRITTEN),
    store.getValue(ROUTES_CHANGED),
    store.listRoutes({ limit: 1 }),
    stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    }),
  ]);
  return judgeIndex(parse(noted), found, { zone: zoneOfMachine(), routes: total, changedAt });
}

export function zoneOfMachine(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function parse(noted: string | undefined): WrittenIndex | undefined {
  try {
    return noted === undefined ? undefined : (JSON.parse(noted) as WrittenIndex);
  } catch {
    return undefined;
  }
}
