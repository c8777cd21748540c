import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** How much fits on the disk where a path is, or would be. */
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
