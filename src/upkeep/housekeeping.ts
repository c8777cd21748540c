import { securePrivateFolders } from "../home-modes.js";
import { removeLeftovers } from "../leftovers.js";
import type { GatewayLog } from "../log.js";

/** Longer than the hour after which unfinished copies are removed. */
const MAX_WAIT_MS = 2 * 3_600_000;

export interface Housekeeping {
  stop(): void;
}

/** Background work after startup: restricts file permissions and removes files of killed processes. */
export function startHousekeeping(home: string, log: GatewayLog): Housekeeping {
  const ended = new AbortController();
  const { signal } = ended;
  void secure(home, log, signal).catch((error: unknown) =>
    log.warn({ err: error }, "could not check permissions"),
  );
  void removeLeftovers(home, { maxWaitMs: MAX_WAIT_MS, signal }).then(
    (removed) => {
      if (removed.length > 0) log.info({ removed }, "removed leftovers of unfinished writes");
    },
    (error: unknown) => log.warn({ err: error }, "could not remove leftovers of unfinished writes"),
  );
  return { stop: () => ended.abort() };
}

async function secure(home: string, log: GatewayLog, signal: AbortSignal): Promise<void> {
  const { changed, problems } = await securePrivateFolders(home, signal);
  if (changed > 0) log.warn({ changed }, "files were accessible to other users; access is now restricted");
  if (problems.length > 0)
    log.error({ problems }, "files are accessible to other users and can't be restricted");
}
