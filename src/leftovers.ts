/**
 * Files that a process leaves if it is killed while it writes: temporary files, unfinished copies. They
 * contain people's messages and are never read again. A file that another process is writing looks the same,
 * so only files that haven't changed for a while are removed.
 */
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** For files that are renamed right after writing. */
const SHORT_MS = 10_000;
/** For backups, downloads and exports, which take long and don't write to all their files all the time. */
const LONG_MS = 3_600_000;

/** Held while `config.yaml` and `.env` are written. */
export const CONFIG_LOCK = ".config.lock";

interface Kind {
  folder: string;
  name: RegExp;
  quietMs: number;
  recursive?: boolean;
}

const KINDS: readonly Kind[] = [
  { folder: "", name: /^\.gateway_[0-9a-f]+\.tmp$/, quietMs: SHORT_MS },
  { folder: "", name: /^\.config\.lock$/, quietMs: SHORT_MS },
  { folder: "", name: /^\..+\.[0-9a-f]{8}\.partial$/, quietMs: LONG_MS },
  { folder: "", name: /^\.(?:backup|restore|export)-[0-9a-f]{12}$/, quietMs: LONG_MS },
  { folder: "", name: /^\.look-\w{6}$/, quietMs: LONG_MS },
  { folder: "", name: /^state\.db\..+\.partial$/, quietMs: LONG_MS },
  { folder: "sessions", name: /^\.(?:sessions|transcript)_\w+\.tmp$/, quietMs: SHORT_MS },
  { folder: "memories", name: /\.[0-9a-f]{12}\.tmp$|^\.mem_\w+\.tmp$/, quietMs: SHORT_MS, recursive: true },
  { folder: "cache/spillover", name: /\.[0-9a-f]{8}\.tmp$/, quietMs: SHORT_MS },
  { folder: "media/in", name: /\.part$/, quietMs: LONG_MS },
  { folder: "backups", name: /\.[0-9a-f]{8}\.partial$/, quietMs: LONG_MS },
];

/** Whether it is an unfinished copy of the home. */
export function isUnfinishedCopy(name: string): boolean {
  return KINDS.some((kind) => kind.folder === "" && kind.quietMs === LONG_MS && kind.name.test(name));
}

export interface LeftoverOptions {
  /** How long to wait for recent files to be finished or old enough. */
  maxWaitMs: number;
  /** Aborts the wait. Without a signal, the wait keeps the process alive. */
  signal?: AbortSignal;
}

interface Leftover {
  path: string;
  quietMs: number;
  changedAt: number;
  /** Monotonic: the wall clock may be set back. */
  seenAt: number;
}

/** Removes leftovers that exist now; later ones belong to running processes. Returns the removed paths. */
export async function removeLeftovers(home: string, options: LeftoverOptions): Promise<string[]> {
  const { maxWaitMs, signal } = options;
  const until = performance.now() + maxWaitMs;
  const removed: string[] = [];
  let open = await findLeftovers(home);
  while (open.length > 0) {
    const old = open.filter((one) => remainingMs(one) <= 0);
    for (const { path } of old) await rm(path, { recursive: true, force: true });
    removed.push(...old.map(({ path }) => path));
    const young = open.filter((one) => !old.includes(one));
    const waitMs = Math.min(...young.map(remainingMs));
    if (performance.now() + waitMs > until || signal?.aborted) break;
    await sleep(waitMs, undefined, signal ? { signal, ref: false } : {}).catch(() => undefined);
    open = (await Promise.all(young.map(refreshed))).filter((one) => one !== undefined);
  }
  return removed;
}

function remainingMs({ quietMs, changedAt, seenAt }: Leftover): number {
  return quietMs - Math.max(Date.now() - changedAt, performance.now() - seenAt);
}

async function findLeftovers(home: string): Promise<Leftover[]> {
  const leftovers = await Promise.all(KINDS.map((kind) => leftoversOf(home, kind)));
  return leftovers.flat();
}

async function leftoversOf(
  home: string,
  { folder, name, quietMs, recursive = false }: Kind,
): Promise<Leftover[]> {
  const entries = await readdir(join(home, folder), { withFileTypes: true, recursive }).catch(() => []);
  const paths = entries
    .filter((entry) => name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const seenAt = performance.now();
  const leftovers = paths.map((path) => refreshed({ path, quietMs, changedAt: Number.NaN, seenAt }));
  return (await Promise.all(leftovers)).filter((one) => one !== undefined);
}

/** Undefined if it no longer exists. */
async function refreshed(before: Leftover): Promise<Leftover | undefined> {
  const changedAt = await lastChange(before.path);
  if (changedAt === undefined) return undefined;
  return changedAt === before.changedAt ? before : { ...before, changedAt, seenAt: performance.now() };
}

/** For a folder, the last change of anything in it. */
async function lastChange(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isDirectory()) return stats?.mtimeMs;
  const inside = await readdir(path, { recursive: true }).catch(() => []);
  const times = await Promise.all(inside.map((name) => lstat(join(path, name)).catch(() => undefined)));
  return times.reduce((latest, one) => Math.max(latest, one?.mtimeMs ?? 0), stats.mtimeMs);
}
