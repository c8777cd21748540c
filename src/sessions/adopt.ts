import type { RouteRow } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { keepAside, readIndex } from "./index-file.js";
import { type Isolation, originTuple } from "./key.js";

export interface Adoption {
  adopted: number;
  problems: string[];
}

/**
 * The first start in a home that another Hermes has used: its index tells which chat is in which session. Read once;
 * from then on the database is the truth. A file that can't be read is kept aside.
 */
export async function adoptIndex(
  store: Store,
  routes: readonly RouteRow[],
  path: string,
  isolation: Isolation,
): Promise<Adoption> {
  const index = await readIndex(path);
  if (index === "missing") return { adopted: 0, problems: [] };
  if ("corrupt" in index) {
    const aside = await keepAside(path);
    return {
      adopted: 0,
      problems: [`sessions.json can't be read (${index.corrupt}); it was kept as ${aside}.`],
    };
  }
  if (routes.length > 0) return { adopted: 0, problems: [] };
  const adopted = await store.adoptRoutes(
    index.entries.map((entry) => ({ ...entry, tuple: originTuple(entry.origin, isolation) })),
  );
  return { adopted, problems: index.problems };
}
