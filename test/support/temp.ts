import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type OpenedStore, openStore, type ReadLimits } from "../../src/store/sqlite/index.js";
import type { OnProgress } from "../../src/store/store.js";
import { atEnd } from "./at-end.js";

/** A folder that is gone after the test. */
export function tempDir(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-test-"));
  atEnd(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A real store on a real file, closed after the test. */
export async function tempStore(
  file = path.join(tempDir(), "state.db"),
  onProgress?: OnProgress,
  limits: Partial<ReadLimits> = {},
): Promise<{ store: OpenedStore; file: string }> {
  const store = await openStore({
    path: file,
    limits,
    foreign: "adopt",
    ...(onProgress ? { onProgress } : {}),
  });
  atEnd(() => store.close());
  return { store, file };
}
