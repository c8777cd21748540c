import type { Store } from "../store/store.js";
import type { FilesThread } from "./files-thread.js";
import { readIndex } from "./index-file.js";
import { type Isolation, originTuple } from "./key.js";

export interface Adoption {
  adopted: number;
  problems: string[];
}

export interface AdoptionInput {
  store: Pick<Store, "listRoutes" | "adopt">;
  files: FilesThread;
  path: string;
  isolation: Isolation;
  /** A platform whose routes aren't in the file and don't count as existing routes. */
  except: string;
}

/**
 * First start in a home that another Hermes has used: imports the chat → session mapping from its index. Read once;
 * afterwards the database is authoritative. An unreadable file is renamed and kept.
 */
export async function adoptIndex({
  store,
  files,
  path,
  isolation,
  except,
}: AdoptionInput): Promise<Adoption> {
  const corrupt = await files.call("setAsideIfCorrupt", { path });
  if (corrupt) {
    const problem = `sessions.json can't be read (${corrupt.reason}); it was kept as ${corrupt.aside}.`;
    return { adopted: 0, problems: [problem] };
  }
  if ((await store.listRoutes({ except, limit: 1 })).routes.length > 0) return { adopted: 0, problems: [] };
  const index = await readIndex(path);
  if (index === "missing" || "corrupt" in index) return { adopted: 0, problems: [] };
  const { routes: adopted } = await store.adopt({
    routes: index.entries.map((entry) => ({ ...entry, tuple: originTuple(entry.origin, isolation) })),
  });
  return { adopted, problems: index.problems };
}
