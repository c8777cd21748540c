/**
 * Restricts the home to its owner: folders 0700, files 0600. If that fails, nothing starts. Never opens
 * files: closing a database file would drop its locks.
 */
import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { chmod, lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { HermesError } from "./errors.js";

const OTHERS = 0o077;
const OWNER = 0o700;
const STICKY = 0o1000;

/** Folders with private data. Others may contain whole programs with their libraries. */
const PRIVATE_FOLDERS =
  /^(?:sessions|memories|media|hooks|backups|logs|pairing|platforms|mcp-tokens|before-restore-.*)$/;
/** One of these files identifies a folder as a home, not one given by mistake. */
const MARKS = ["state.db", "config.yaml", ".env", "gateway.lock.db"];

/** Secures the home and the files directly in it. Returns the changed paths. */
export function secureHome(home: string): string[] {
  if (process.platform === "win32") return [];
  const names = readdirSync(home);
  const changed = secureFolderItself(home, names) ? [home] : [];
  for (const name of names) {
    const path = join(home, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && (stats.mode & OTHERS) !== 0 && restrict(path, stats.mode)) changed.push(path);
  }
  return changed;
}

function secureFolderItself(home: string, names: readonly string[]): boolean {
  const { mode } = statSync(home);
  if ((mode & OTHERS) === 0) return false;
  // Don't change folders that others may use, such as /tmp or /srv.
  const isEmpty = names.every((name) => name === "lost+found");
  const isOurs = isEmpty || names.some((name) => MARKS.includes(name) || PRIVATE_FOLDERS.test(name));
  if (!isOurs || (mode & STICKY) !== 0) throw refused(home, mode);
  return restrict(home, mode);
}

/** False if the path is on a read-only disk, or no longer exists. */
function restrict(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode & OWNER);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EROFS" || code === "ENOENT") return false;
    throw refused(path, mode, error);
  }
}

function refused(path: string, mode: number, cause?: unknown): HermesError {
  const octal = (mode & 0o777).toString(8).padStart(3, "0");
  return new HermesError("refused", `${path} is accessible to other users (mode ${octal}).`, {
    hint: `Run \`chmod go= ${path}\` as its owner, or use a separate folder with --home DIR or HERMES_HOME.`,
    cause,
  });
}

export interface Secured {
  changed: number;
  /** Paths that could not be changed, and why. */
  problems: string[];
}

/** Secures the private folders. May take a while: there is a file per transcript. */
export async function securePrivateFolders(home: string, signal: AbortSignal): Promise<Secured> {
  const secured: Secured = { changed: 0, problems: [] };
  if (process.platform === "win32") return secured;
  const folders = readdirSync(home).filter((name) => PRIVATE_FOLDERS.test(name));
  for (const name of folders) await secureTree(join(home, name), secured, signal);
  return secured;
}

/** Secures a path and everything in it. Doesn't follow links, which can point anywhere. */
export async function secureTree(path: string, secured: Secured, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile() && !stats?.isDirectory()) return;
  if ((stats.mode & OTHERS) !== 0) await restrictAsync(path, stats.mode, secured);
  if (!stats.isDirectory()) return;
  const folder = await opendir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") addProblem(secured, error);
  });
  for await (const entry of folder ?? []) await secureTree(join(path, entry.name), secured, signal);
}

const MAX_PROBLEMS = 20;

async function restrictAsync(path: string, mode: number, secured: Secured): Promise<void> {
  try {
    await chmod(path, mode & OWNER);
    secured.changed += 1;
  } catch (error) {
    addProblem(secured, error as Error);
  }
}

function addProblem({ problems }: Secured, { message }: Error): void {
  if (problems.length < MAX_PROBLEMS) problems.push(message);
}
