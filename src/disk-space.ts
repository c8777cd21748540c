import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** With less, writes fail soon. */
export const MIN_FREE_BYTES = 100 * 1024 * 1024;

/** Free bytes on the disk of a path, which may not exist yet. */
export async function freeBytesAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(await nearestThere(path));
  return bavail * bsize;
}

async function nearestThere(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || path === dirname(path) ? path : nearestThere(dirname(path));
}
