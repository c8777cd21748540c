import fs from "node:fs";
import os from "node:os";

const MEMORY = "/dev/shm";
const MIN_FREE_BYTES = 2 ** 30;

/** Where tests keep their files: in memory where there is room, so that no test waits for a disk to sync. */
export function tempFolder(): string {
  try {
    fs.accessSync(MEMORY, fs.constants.W_OK);
    const { bavail, bsize } = fs.statfsSync(MEMORY);
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY : os.tmpdir();
  } catch {
    // Not Linux, or a container without it.
    return os.tmpdir();
  }
}
