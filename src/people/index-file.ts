import { TERMINAL } from "../adapters/cli/index.js";
import type { HomePaths } from "../config/paths.js";
import { FilesThread } from "../sessions/files-thread.js";
import { IndexWriter } from "../sessions/index-writer.js";
import type { Store } from "../store/store.js";
import { fileExists } from "./files.js";

/** Updates `sessions.json`, unless a gateway is running: it does so itself when routes have changed. */
export async function writeIndex(
  store: Store,
  { sessionsIndex: path, stateDb }: HomePaths,
  gatewayRuns: boolean,
): Promise<void> {
  if (gatewayRuns || !(await fileExists(path))) return;
  let failure: unknown;
  const files = new FilesThread();
  const index = new IndexWriter({
    ...{ path, stateDb, except: TERMINAL, files, store },
    onError: (error) => {
      failure = error;
    },
  });
  index.changed();
  await index.close();
  await files.close();
  if (failure) throw failure;
}
