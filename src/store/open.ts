import type { OnProgress } from "./common.js";
import type { Membership } from "./membership.js";
import type { ReadLimits } from "./sqlite/engine.js";
import type { ForeignFile } from "./sqlite/foreign.js";
import type { Store } from "./store.js";

export { readingForMs } from "./sqlite/thread.js";

/** The only way into an engine for the rest of the program. Engines are loaded on demand. */

export interface StoreConfig {
  /** The SQLite file; its folder is created if it is missing. */
  path: string;
}

export interface OpenOptions extends StoreConfig {
  /** False: everything runs on the calling thread, for programs that end soon. */
  threads?: boolean;
  /** Called while an older file is migrated. */
  onProgress?: OnProgress;
  /** What to do with a file of another Hermes program. Default: refuse it. */
  foreign?: ForeignFile;
  /** Allows a migration from an earlier version's layout, for a process that has the gateway lock or a file of its own. */
  migrate?: boolean;
  limits?: Partial<ReadLimits>;
}

/** Opens the store, or creates it. */
export async function openStore(options: OpenOptions): Promise<Store> {
  const engine = await import("./sqlite/index.js");
  return engine.openStore(options);
}

export function membershipOf(home: string): Membership {
  const lock = () => import("./sqlite/lock.js");
  return {
    join: async (info) => (await lock()).acquireLock(home, info),
    state: async () => (await lock()).readLock(home),
  };
}
