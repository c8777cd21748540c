/**
 * Reading files that another user may have created. Opening a FIFO waits for a writer, perhaps forever, and
 * reading a device has no end, so only regular files are read, and opening never blocks.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** The caller closes it. Fails with EINVAL for a FIFO, folder, socket or device. */
export async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  const handle = await open(path, FLAGS | flags).catch((error: unknown) => {
    throw readable(error);
  });
  try {
    requireRegular(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function readRegular(path: string): Promise<Buffer> {
  const handle = await openRegular(path);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function readRegularSync(path: string): string {
  const fd = openSync(path, FLAGS);
  try {
    requireRegular(fstatSync(fd));
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function requireRegular(stats: Stats): void {
  if (!stats.isFile()) throw notRegular();
}

/** Opening a socket fails with a system error; replaced by the same EINVAL. */
function readable(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === "ENXIO" ? notRegular() : error;
}

function notRegular(): Error {
  return Object.assign(new Error("it is not a regular file"), { code: "EINVAL" });
}

export function isNotRegular(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EINVAL";
}
