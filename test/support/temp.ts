import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type OpenedStore, type OpenOptions, openStore } from "../../src/store/sqlite/index.js";
import type { OnProgress } from "../../src/store/store.js";
import { atEnd } from "./at-end.js";

/** A folder that is deleted after the test. */
export function tempDir(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-test-"));
  atEnd(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/**
 * A real store on a real file, closed after the test. It runs on the test's own thread, which is faster; `threads: true` for what
 * concerns the threads.
 */
export async function tempStore(
  file = path.join(tempDir(), "state.db"),
  onProgress: OnProgress = () => undefined,
  more: Pick<OpenOptions, "limits" | "threads" | "migrate"> = {},
): Promise<{ store: OpenedStore; file: string }> {
  const store = await openStore({
    path: file,
    foreign: "adopt",
    onProgress,
    threads: process.env.TEST_STORE === "threads",
    ...more,
  });
  atEnd(() => store.close());
  return { store, file };
}
