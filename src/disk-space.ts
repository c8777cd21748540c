import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** Below this, writes will soon fail. */
export const MIN_FREE_BYTES = 100 * 1024 * 1024;

/** Free bytes on the disk of a path, which may not exist yet. */
export async function freeBytesAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(await nearestExisting(path));
  return bavail * bsize;
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || path === dirname(path) ? path : nearestExisting(dirname(path));
}
