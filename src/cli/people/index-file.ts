import { TERMINAL } from "../../adapters/cli/index.js";
import type { HomePaths } from "../../config/paths.js";
import { IndexFile } from "../../sessions/index-file.js";
import type { Store } from "../../store/store.js";
import { isThere } from "./files.js";

/** `sessions.json` follows the routes. A gateway that runs writes it itself, once it has seen that they changed. */
export async function writeIndex(
  store: Store,
  { sessionsIndex: path }: HomePaths,
  gatewayRuns: boolean,
): Promise<void> {
  if (gatewayRuns || !(await isThere(path))) return;
  let failure: unknown;
  const index = new IndexFile({
    path,
    onError: (error) => {
      failure = error;
    },
  });
  index.load((await store.listRoutes()).filter(({ origin }) => origin.platform !== TERMINAL));
  await index.close();
  if (failure) throw failure;
}
