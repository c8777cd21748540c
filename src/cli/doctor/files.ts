/** The home: owner, permissions, disk space. */
import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { homePaths } from "../../config/paths.js";
import { freeBytesAt, MIN_FREE_BYTES } from "../../disk-space.js";
import { type Finding, found } from "../../finding.js";
import { ifMissing } from "../../missing.js";
import { readIndex } from "../../sessions/index-file.js";
import { counted, dataSize } from "../numbers.js";

const MODE = 0o777;
const OTHERS = 0o077;
/** Maximum to count: one command fixes them all. */
const MAX_FILES = 5000;

export async function checkHome(home: string): Promise<Finding> {
  const entry = await stat(home).catch(ifMissing(undefined));
  if (!entry) return found.warn(`${home} doesn't exist yet`, "The gateway creates it at its first start.");
  if (!entry.isDirectory())
    return found.fail(`${home} is not a folder`, "Name another with --home or HERMES_HOME.");
  if (!(await mayWrite(home)))
    return found.fail(
      `${home} can't be written by this user`,
      "Run hermes as its owner, or name another home.",
    );
  const mode = entry.mode & MODE;
  if ((mode & OTHERS) === 0) return found.ok(`${home} is private`);
  return found.warn(`${home} is accessible to others (mode ${octal(mode)})`, `chmod 700 ${home}`);
}

function mayWrite(path: string): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Tokens and conversations must be private. Missing files are skipped. */
export async function checkPermissions(home: string): Promise<Finding[]> {
  const { single, folders } = privateParts(home);
  const seen = [
    ...(await Promise.all(single.map(checkPrivate))),
    ...(await Promise.all(folders.map((folder) => checkFolder(folder, single)))),
  ];
  return seen.flat();
}

/** Paths, including the home itself, that should be private and aren't. */
export async function exposedPaths(home: string): Promise<string[]> {
  const { single, folders } = privateParts(home);
  const exposed: string[] = [];
  for (const path of [home, ...single]) if (((await modeOf(path)) & OTHERS) !== 0) exposed.push(path);
  for (const folder of folders) exposed.push(...(await openFilesIn(folder, single)));
  return exposed;
}

function privateParts(home: string): { single: string[]; folders: string[] } {
  const { envFile, configFile, stateDb, sessionsIndex, sessionsDir, memoriesDir } = homePaths(home);
  const others = ["media", "pairing", "platforms/pairing"].map((name) => join(home, name));
  return {
    single: [envFile, configFile, stateDb, sessionsIndex],
    folders: [sessionsDir, memoriesDir, ...others],
  };
}

async function checkPrivate(path: string): Promise<Finding[]> {
  const mode = await modeOf(path);
  if ((mode & OTHERS) === 0) return [];
  return [found.warn(`${path} can be read by others (mode ${octal(mode)})`, `chmod 600 ${path}`)];
}

async function checkFolder(folder: string, except: readonly string[]): Promise<Finding[]> {
  const open = (await openFilesIn(folder, except, MAX_FILES)).length;
  if (open === 0) return [];
  return [
    found.warn(`${counted(open, "file")} in ${folder} can be read by others`, `chmod -R go= ${folder}`),
  ];
}

async function openFilesIn(
  folder: string,
  except: readonly string[],
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [] as string[]);
  const paths = entries.slice(0, most).map((name) => join(folder, name));
  const open: string[] = [];
  for (const path of paths) if (!except.includes(path) && (await isOpenFile(path))) open.push(path);
  return open;
}

async function isOpenFile(path: string): Promise<boolean> {
  const entry = await stat(path).catch(() => undefined);
  return entry?.isFile() === true && (entry.mode & OTHERS) !== 0;
}

async function modeOf(path: string): Promise<number> {
  const entry = await stat(path).catch(() => undefined);
  return (entry?.mode ?? 0) & MODE;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, "0");
}

// --- room ---------------------------------------------------------------------------------------------------------

const MB = 1024 * 1024;
const FEW_BYTES = 1024 * MB;

export async function checkDisk(home: string): Promise<Finding> {
  const databaseBytes = (await stat(homePaths(home).stateDb).catch(() => undefined))?.size ?? 0;
  return judgeRoom(await freeBytesAt(home), databaseBytes);
}

/** A copy of the database must fit: migrations, repairs and backups make one. */
export function judgeRoom(freeBytes: number, databaseBytes: number): Finding {
  const free = `${dataSize(freeBytes)} free`;
  if (freeBytes < MIN_FREE_BYTES)
    return found.fail(`${free}: writes will fail soon`, "Free some space on this disk now.");
  if (freeBytes < Math.max(FEW_BYTES, 1.5 * databaseBytes))
    return found.warn(
      `${free}, the database has ${dataSize(databaseBytes)}`,
      "Free some space: repairs and backups need that much again.",
    );
  return found.ok(free);
}

// --- sessions.json ------------------------------------------------------------------------------------------------

export async function checkIndex(home: string): Promise<Finding> {
  const index = await readIndex(homePaths(home).sessionsIndex);
  if (index === "missing") return found.ok("not written yet");
  const rewrite = "The gateway rewrites it from the database when it starts; a corrupt one is moved aside.";
  if ("corrupt" in index) return found.warn(`can't be read: ${index.corrupt}`, rewrite);
  if (index.problems.length > 0) return found.warn(index.problems.join("\n"), rewrite);
  return found.ok(counted(index.entries.length, "chat"));
}
