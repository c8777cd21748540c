import type { OnProgress } from "./common.js";
import type { Membership } from "./membership.js";
import type { ReadLimits } from "./sqlite/engine.js";
import type { ForeignFile } from "./sqlite/foreign.js";
import type { Store } from "./store.js";

export { readingForMs } from "./sqlite/thread.js";

/** The only place that opens an engine. Engines are loaded on demand. */

export interface StoreConfig {
  /** The SQLite file; its folder is created if it is missing. */
  path: string;
}

export interface OpenOptions extends StoreConfig {
  /** False runs everything on the calling thread, for short-lived programs. */
  threads?: boolean;
  /** Called while an older file is migrated. */
  onProgress?: OnProgress;
  /** How to handle a file of another Hermes program. Default: refuse it. */
  foreign?: ForeignFile;
  /** Allows migrating an older layout. Only for a process that holds the gateway lock or has the file to itself. */
  migrate?: boolean;
  limits?: Partial<ReadLimits>;
}

/** Opens or creates the store. */
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
