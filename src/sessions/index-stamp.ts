/** Whether `sessions.json` is still the file that we wrote, so that a start needn't read it. */
import { stat } from "node:fs/promises";
import { ROUTES_CHANGED } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { FileStamp } from "./index-file.js";

/** A key of `state_meta`: the file as it was last written, and what that depended on. */
export const INDEX_WRITTEN = "gw_index_written";

export interface WrittenIndex extends FileStamp {
  /** Times in it are local. */
  zone: string;
  /** How many the database had. */
  routes: number;
  /** When another process had last changed routes. */
  changedAt: string | undefined;
}

export type IndexState =
  /** Ours, and nothing that we know of has changed since. */
  | "current"
  /** Ours or missing, and to be written anew. */
  | "stale"
  /** Somebody else wrote it. */
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
  store: Pick<Store, "getMeta" | "countRoutes">,
  path: string,
): Promise<IndexState> {
  const [noted, changedAt, routes, found] = await Promise.all([
    store.getMeta(INDEX_WRITTEN),
    store.getMeta(ROUTES_CHANGED),
    store.countRoutes(),
    stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    }),
  ]);
  return judgeIndex(parse(noted), found, { zone: zoneOfMachine(), routes, changedAt });
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
