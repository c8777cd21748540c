/** Files that have had their time: those of a folder of ours, by when they were last written. */
import { opendir, rm, stat } from "node:fs/promises";
import path from "node:path";

/** At most so many a time: the next round goes on. */
const MOST_AT_ONCE = 1000;

/** Gives how many were removed. A folder that isn't there has nothing old. */
export async function removeOldFiles(folder: string, before: number): Promise<number> {
  const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  let removed = 0;
  for await (const entry of entries ?? []) {
    if (!entry.isFile()) continue;
    const file = path.join(folder, entry.name);
    const found = await stat(file).catch(() => undefined);
    if (!found || found.mtimeMs / 1000 >= before) continue;
    await rm(file, { force: true });
    removed += 1;
    if (removed === MOST_AT_ONCE) break;
  }
  return removed;
}
