/** Removes old files from one of our folders, by modification time. */
import { opendir, rm, stat } from "node:fs/promises";
import path from "node:path";

/** Files removed per round. */
const MAX_CONCURRENT = 1000;

/** Returns the number of removed files. A missing folder is fine. */
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
    if (removed === MAX_CONCURRENT) break;
  }
  return removed;
}
