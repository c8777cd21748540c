import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { type FileHandle, open, realpath, rename, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { onEarlyExit } from "./early-exit.js";
import { HermesError } from "./errors.js";
import { killPoint } from "./kill-point.js";

export type Write = (text: string) => Promise<void>;

/** Writes a private file that gets its name only once it is complete and synced. */
export async function writeWhole<T>(file: string, produce: (write: Write) => Promise<T>): Promise<T> {
  const target = await writableTarget(file);
  const partial = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString("hex")}.partial`);
  const discard = () => rmSync(partial, { force: true });
  const cancel = onEarlyExit(discard);
  try {
    const result = await fill(partial, produce);
    killPoint("file-ready");
    await rename(partial, target);
    return result;
  } catch (error) {
    discard();
    throw explained(error, file);
  } finally {
    cancel();
  }
}

async function fill<T>(path: string, produce: (write: Write) => Promise<T>): Promise<T> {
  const handle = await open(path, "wx", 0o600);
  try {
    const result = await produce((text) => writeAll(handle, text));
    await handle.sync();
    return result;
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text);
}

/** Follows links. Refuses anything but a regular file, because it would be replaced by one. */
async function writableTarget(file: string): Promise<string> {
  const stats = await stat(file).catch(() => undefined);
  if (!stats) return file;
  if (stats.isFile()) return realpath(file);
  throw new HermesError("invalid", `${file} is not a file.`, {
    hint: "Name a file, or - for the standard output.",
  });
}

/** The system's error, with the path as the user gave it. */
export function explained(error: unknown, file: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const reason = REASONS[code] ?? message;
  return new HermesError("unavailable", `Can't use ${file}: ${reason}.`, {
    hint: code === "EACCES" || code === "EPERM" ? OWNER_HINT : undefined,
    cause: error,
  });
}

const OWNER_HINT = "Run hermes as its owner, or name another file.";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it or its folder doesn't exist",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "its parent isn't a folder",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
};
