import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { extract } from "tar";
import { freeBytesAt } from "../disk-space.js";
import { HermesError } from "../errors.js";
import { freeName } from "../free-name.js";
import { secureTree } from "../home-modes.js";
import { ifMissing } from "../missing.js";
import type { CheckReport } from "../store/store.js";
import { inspect } from "./inspect.js";
import { describeFiles, FORMAT, MANIFEST, type Manifest, parseManifest } from "./manifest.js";

export interface OpenedBackup {
  manifest: Manifest;
  /** The files, unpacked beside where they will go. */
  stage: string;
  discard(): Promise<void>;
}

/** Unpacked and proven: every file as the manifest has it, and a database that is sound. Nothing of the home changes. */
export async function openBackup(
  file: string,
  home: string,
  checkDatabase: (path: string) => Promise<CheckReport>,
): Promise<OpenedBackup> {
  if (!(await fs.stat(file).catch(ifMissing(undefined))))
    throw new HermesError("not_found", `There is no file ${file}.`, {
      hint: "Name what `hermes backup` wrote; by itself that is in backups/ of the home.",
    });
  await requireFitting(file, home);
  const isNew = (await fs.mkdir(home, { recursive: true, mode: 0o700 })) !== undefined;
  const stage = path.join(home, `.restore-${randomBytes(6).toString("hex")}`);
  // A file that was being unpacked may still appear.
  const discard = async () => {
    await fs.rm(stage, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    // A home that was made for looking alone goes too; one with files in it stays.
    if (isNew) await fs.rmdir(home).catch(() => undefined);
  };
  try {
    await fs.mkdir(stage, { mode: 0o700 });
    await unpack(file, stage);
    const manifest = await verified(stage, file);
    const { ok, problems } = await checkDatabase(path.join(stage, "state.db"));
    if (!ok) throw broken(file, `its database has problems: ${problems[0] ?? "unknown"}`);
    return { manifest, stage, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Before anything is written. */
async function requireFitting(file: string, home: string): Promise<void> {
  try {
    await inspect(file, await freeBytesAt(home));
  } catch (error) {
    throw broken(file, (error as Error).message);
  }
}

async function unpack(file: string, stage: string): Promise<void> {
  try {
    await extract({
      file,
      cwd: stage,
      strict: true,
      preserveOwner: false,
      filter: (_, entry) => !("type" in entry) || entry.type === "File" || entry.type === "Directory",
    });
  } catch (error) {
    throw broken(file, (error as Error).message);
  }
  // Modes are the archive's.
  await secureTree(stage, { changed: 0, problems: [] });
}

async function verified(stage: string, file: string): Promise<Manifest> {
  const text = await fs.readFile(path.join(stage, MANIFEST), "utf8").catch(() => "");
  const manifest = parseManifest(text);
  if (!manifest) throw broken(file, "it has no manifest, so it was not made by `hermes backup`");
  if (manifest.format > FORMAT) throw broken(file, "a newer version made it; update first");
  await fs.rm(path.join(stage, MANIFEST));
  const found = new Map((await describeFiles(stage)).map((one) => [one.path, one]));
  for (const wanted of manifest.files) {
    if (found.get(wanted.path)?.sha256 !== wanted.sha256)
      throw broken(file, `${wanted.path} is missing or damaged`);
  }
  if (found.size !== manifest.files.length)
    throw broken(file, "it holds files that its manifest doesn't name");
  if (!found.has("state.db")) throw broken(file, "it holds no database");
  return manifest;
}

function broken(file: string, why: string): HermesError {
  return new HermesError("invalid", `${file} can't be restored: ${why}.`, {
    hint: "Nothing was changed. Take another backup.",
  });
}

export interface Restored {
  /** The folder with the previous files. */
  kept: string | undefined;
  /** The backup's configuration, when the home had one of its own already. */
  config: string | undefined;
}

/** Folders with code that runs in the gateway: restored only with the operator's consent. */
export type CodeFolder = "hooks" | "plugins";

const WHOLE = ["state.db", "sessions", "memories", "media/sent"];
/** They belong to the database that goes. */
const BESIDE = ["state.db-wal", "state.db-shm"];

/** Names of the backup's hooks or plugins that this home doesn't have in the same version. */
export async function newCode(
  { manifest }: Pick<OpenedBackup, "manifest">,
  home: string,
  folder: CodeFolder,
): Promise<string[]> {
  const own = await describeFiles(path.join(home, folder)).catch(() => []);
  const known = new Set(own.map(({ path: name, sha256 }) => `${folder}/${name} ${sha256}`));
  const fresh = manifest.files.filter(
    (file) => file.path.startsWith(`${folder}/`) && !known.has(`${file.path} ${file.sha256}`),
  );
  return [...new Set(fresh.map((file) => file.path.split("/")[1]!))];
}

/** Puts the files in their places. Existing ones are moved aside, never deleted. Code folders that aren't named stay. */
export async function putInPlace(
  stage: string,
  home: string,
  { stamp, code }: { stamp: string; code: readonly CodeFolder[] },
): Promise<Restored> {
  const whole = [...WHOLE, ...code];
  const aside = freeName(path.join(home, `before-restore-${stamp}`));
  let kept: string | undefined;
  for (const name of [...whole, ...BESIDE]) {
    if (await move(path.join(home, name), path.join(aside, name))) kept = aside;
  }
  for (const name of whole) await move(path.join(stage, name), path.join(home, name));
  const own = path.join(home, "config.yaml");
  const hasOwn = await fs.stat(own).then(
    () => true,
    () => false,
  );
  const target = hasOwn ? freeName(path.join(home, `config.yaml.restored-${stamp}`)) : own;
  const moved = await move(path.join(stage, "config.yaml"), target);
  return { kept, config: moved && hasOwn ? target : undefined };
}

async function move(from: string, to: string): Promise<boolean> {
  if ((await fs.lstat(from).catch(() => undefined)) === undefined) return false;
  await fs.mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  await fs.rename(from, to);
  return true;
}
