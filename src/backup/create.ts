import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { create } from "tar";
import { HermesError } from "../errors.js";
import { readRegular } from "../regular-file.js";
import type { Maintenance } from "../store/store.js";
import { describeFiles, FORMAT, MANIFEST, type Manifest } from "./manifest.js";
import { withoutSecrets } from "./without-secrets.js";

/** The parts of a home besides its database. Transcripts and the index are derived, but kept as they are. */
const FOLDERS = ["sessions", "memories", "media/sent", "hooks", "plugins"];
const CONFIG = "config.yaml";

export interface BackupOptions {
  home: string;
  store: Pick<Maintenance, "backup">;
  /** The archive; it appears under this name once it is whole. */
  target: string;
  version: string;
  now: number;
  isSecretPath: (path: readonly string[]) => boolean;
  onProgress?(progress: BackupProgress): void;
}

/** What it does at the moment, and while it packs, how many bytes are done. */
export interface BackupProgress {
  step: "database" | "files" | "packing";
  bytes: number;
  ofBytes: number;
}

export interface Backup extends Omit<Manifest, "files"> {
  file: string;
  bytes: number;
  files: number;
}

/**
 * A gzipped tar of the home while it is in use: SQLite copies the database in a consistent state, the rest is copied beside it.
 * Secrets are excluded.
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { home, target } = options;
  const stage = path.join(home, `.backup-${randomBytes(6).toString("hex")}`);
  const partial = `${target}.${randomBytes(4).toString("hex")}.partial`;
  try {
    await fs.mkdir(stage, { mode: 0o700 });
    const manifest = await fill(stage, options);
    await fs.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await pack(stage, partial, manifest, options);
    await fs.rename(partial, target);
    const { size } = await fs.stat(target);
    return { ...manifest, file: target, bytes: size, files: manifest.files.length };
  } catch (error) {
    // What is in the way of the file is in the way here, too.
    await fs.rm(partial, { force: true }).catch(() => undefined);
    throw explained(error, target);
  } finally {
    await fs.rm(stage, { recursive: true, force: true });
  }
}

async function fill(stage: string, options: BackupOptions): Promise<Manifest> {
  const { home, store, version, now, isSecretPath, onProgress } = options;
  onProgress?.({ step: "database", bytes: 0, ofBytes: 0 });
  await store.backup(path.join(stage, "state.db"));
  onProgress?.({ step: "files", bytes: 0, ofBytes: 0 });
  for (const folder of FOLDERS) await copyFolder(home, stage, folder);
  const config = await readRegular(path.join(home, CONFIG)).catch(ifAbsent);
  if (config !== undefined) {
    await fs.writeFile(path.join(stage, CONFIG), withoutSecrets(config.toString(), isSecretPath), {
      mode: 0o600,
    });
  }
  const files = await describeFiles(stage);
  const manifest = { format: FORMAT, version, created_at: now, files };
  await fs.writeFile(path.join(stage, MANIFEST), JSON.stringify(manifest, null, 2), { mode: 0o600 });
  return manifest;
}

/** Links are not followed: they could lead out of the home. */
async function copyFolder(home: string, stage: string, folder: string): Promise<void> {
  const from = path.join(home, folder);
  if ((await fs.stat(from).catch(ifAbsent)) === undefined) return;
  await fs.cp(from, path.join(stage, folder), {
    recursive: true,
    filter: async (name) => {
      // Files that are being written come and go.
      const found = await fs.lstat(name).catch(ifAbsent);
      return (
        found !== undefined && (found.isFile() || found.isDirectory()) && !/\.(?:tmp|partial)$/.test(name)
      );
    },
  });
}

async function pack(
  stage: string,
  file: string,
  manifest: Manifest,
  { onProgress }: BackupOptions,
): Promise<void> {
  const names = [MANIFEST, ...manifest.files.map((one) => one.path)];
  const sizes = new Map(manifest.files.map((one) => [one.path, one.bytes]));
  const ofBytes = manifest.files.reduce((sum, one) => sum + one.bytes, 0);
  let bytes = 0;
  const onWriteEntry = (entry: { path: string }) => {
    onProgress?.({ step: "packing", bytes, ofBytes });
    bytes += sizes.get(entry.path) ?? 0;
  };
  await create(
    { gzip: true, portable: true, cwd: stage, file, mode: 0o600, strict: true, onWriteEntry },
    names,
  );
  await fs.chmod(file, 0o600);
  const handle = await fs.open(file, "r+");
  await handle.sync().finally(() => handle.close());
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function explained(error: unknown, target: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new HermesError("unavailable", `There is no room for the backup ${target}.`, {
      hint: "It needs twice the size of state.db for a while: make room, or name another disk with --to.",
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS" || isInTheWay(code)) {
    return new HermesError("unavailable", `The backup can't be written to ${target} (${code}).`, {
      hint: "Name a file that this user may write: hermes backup --to FILE",
      cause: error,
    });
  }
  return error;
}

/** A file has the name of the folder, or of a folder above it. */
const isInTheWay = (code: string | undefined) => code === "ENOTDIR" || code === "EEXIST";
