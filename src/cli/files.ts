import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { type FileHandle, open, realpath, rename, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HermesError } from "../errors.js";
import { onEarlyExit } from "./early-exit.js";

export type Write = (text: string) => Promise<void>;

/** A new file for its owner alone, under its name only once it is whole and on the disk. */
export async function writeWhole<T>(file: string, produce: (write: Write) => Promise<T>): Promise<T> {
  const target = await writableTarget(file);
  const partial = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString("hex")}.partial`);
  const discard = () => rmSync(partial, { force: true });
  const forget = onEarlyExit(discard);
  try {
    const result = await fill(partial, produce);
    await rename(partial, target);
    return result;
  } catch (error) {
    discard();
    throw explained(error, file);
  } finally {
    forget();
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

/** Through links to the file itself; what isn't a plain file would be replaced by one, so it is refused. */
async function writableTarget(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (!found) return file;
  if (found.isFile()) return realpath(file);
  throw new HermesError("invalid", `${file} is not a file.`, {
    hint: "Name a file, or - for the standard output.",
  });
}

/** What the system says, with the name that the person gave. */
export function explained(error: unknown, file: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const reason = REASONS[code] ?? message;
  return new HermesError("unavailable", `Can't use ${file}: ${reason}.`, {
    hint: code === "EACCES" || code === "EPERM" ? WHOSE : undefined,
    cause: error,
  });
}

const WHOSE = "Run hermes as its owner, or name another place.";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it or its folder doesn't exist",
  EACCES: "this user may not",
  EPERM: "this user may not",
  EISDIR: "it is a folder",
  ENOTDIR: "its folder isn't one",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
};
