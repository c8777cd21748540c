/**
 * What a process leaves behind that is killed while it writes: temporary files, unfinished copies. They hold what people
 * said, and nobody reads them again. A file that another process is writing at this moment looks the same, so only what
 * hasn't changed for a while is removed.
 */
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Files that take their final name at once. */
const SHORT_MS = 10_000;
/** Backups, downloads and exports take their time, and parts of them rest meanwhile. */
const LONG_MS = 3_600_000;

interface Kind {
  folder: string;
  name: RegExp;
  quietMs: number;
  recursive?: boolean;
}

const KINDS: readonly Kind[] = [
  { folder: "", name: /^\.gateway_[0-9a-f]+\.tmp$/, quietMs: SHORT_MS },
  { folder: "", name: /^\..+\.[0-9a-f]{8}\.partial$/, quietMs: LONG_MS },
  { folder: "", name: /^\.(?:backup|restore|export)-[0-9a-f]{12}$/, quietMs: LONG_MS },
  { folder: "", name: /^\.look-\w{6}$/, quietMs: LONG_MS },
  { folder: "", name: /^state\.db\..+\.partial$/, quietMs: LONG_MS },
  { folder: "sessions", name: /^\.(?:sessions|transcript)_\w+\.tmp$/, quietMs: SHORT_MS },
  { folder: "memories", name: /\.[0-9a-f]{12}\.tmp$|^\.mem_\w+\.tmp$/, quietMs: SHORT_MS, recursive: true },
  { folder: "media/in", name: /\.part$/, quietMs: LONG_MS },
  { folder: "backups", name: /\.[0-9a-f]{8}\.partial$/, quietMs: LONG_MS },
];

/** Copies of the home that were never finished. */
export function isUnfinishedCopy(name: string): boolean {
  return KINDS.some((kind) => kind.folder === "" && kind.quietMs === LONG_MS && kind.name.test(name));
}

export interface LeftoverOptions {
  /** How long to wait for young ones to be finished or old enough. */
  patienceMs: number;
  /** Ends the waiting. Without one the process stays for it. */
  signal?: AbortSignal;
}

interface Leftover {
  path: string;
  quietMs: number;
  changedAt: number;
  /** On the monotonic clock: the other one may be set back. */
  seenAt: number;
}

/** Those that are there now; what comes later belongs to somebody who lives. Gives what was removed. */
export async function removeLeftovers(home: string, options: LeftoverOptions): Promise<string[]> {
  const { patienceMs, signal } = options;
  const until = performance.now() + patienceMs;
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
    open = (await Promise.all(young.map(lookAgain))).filter((one) => one !== undefined);
  }
  return removed;
}

function remainingMs({ quietMs, changedAt, seenAt }: Leftover): number {
  return quietMs - Math.max(Date.now() - changedAt, performance.now() - seenAt);
}

async function findLeftovers(home: string): Promise<Leftover[]> {
  const found = await Promise.all(KINDS.map((kind) => leftoversOf(home, kind)));
  return found.flat();
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
  const looked = paths.map((path) => lookAgain({ path, quietMs, changedAt: Number.NaN, seenAt }));
  return (await Promise.all(looked)).filter((one) => one !== undefined);
}

/** Undefined: it is gone. */
async function lookAgain(before: Leftover): Promise<Leftover | undefined> {
  const changedAt = await lastChange(before.path);
  if (changedAt === undefined) return undefined;
  return changedAt === before.changedAt ? before : { ...before, changedAt, seenAt: performance.now() };
}

/** Of a folder: of anything in it. */
async function lastChange(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found?.mtimeMs;
  const inside = await readdir(path, { recursive: true }).catch(() => []);
  const times = await Promise.all(inside.map((name) => lstat(join(path, name)).catch(() => undefined)));
  return times.reduce((latest, one) => Math.max(latest, one?.mtimeMs ?? 0), found.mtimeMs);
}
