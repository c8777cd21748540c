import { securePrivateFolders } from "../home-modes.js";
import { removeLeftovers } from "../leftovers.js";
import type { GatewayLog } from "./parts.js";

/** Unfinished copies are removed when nothing has touched them for an hour. */
const PATIENCE_MS = 2 * 3_600_000;

export interface Housekeeping {
  stop(): void;
}

/** What a start leaves for later: files that are open to others, and what a killed process left behind. */
export function startHousekeeping(home: string, log: GatewayLog): Housekeeping {
  const ended = new AbortController();
  const { signal } = ended;
  void secure(home, log, signal).catch((error: unknown) =>
    log.warn({ err: error }, "permissions were not checked"),
  );
  void removeLeftovers(home, { patienceMs: PATIENCE_MS, signal }).then(
    (removed) => {
      if (removed.length > 0) log.info({ removed }, "removed what was left of unfinished writes");
    },
    (error: unknown) => log.warn({ err: error }, "what was left of unfinished writes was not removed"),
  );
  return { stop: () => ended.abort() };
}

async function secure(home: string, log: GatewayLog, signal: AbortSignal): Promise<void> {
  const { changed, problems } = await securePrivateFolders(home, signal);
  if (changed > 0) log.warn({ changed }, "files were open to other users and are their owner's alone now");
  if (problems.length > 0) log.error({ problems }, "files are open to other users and can't be changed");
}
