import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A temporary folder for one run, removed at the end, even after an interrupt. */
export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-bench-"));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  const interrupted = () => process.exit(130);
  process.once("exit", remove);
  process.once("SIGINT", interrupted);
  try {
    return await work(folder);
  } finally {
    process.off("SIGINT", interrupted);
    process.off("exit", remove);
    remove();
  }
}
