import type { Store } from "../store/store.js";
import type { FilesThread } from "./files-thread.js";
import { readIndex } from "./index-file.js";
import { type Isolation, originTuple } from "./key.js";

export interface Adoption {
  adopted: number;
  problems: string[];
}

export interface AdoptionPlace {
  store: Pick<Store, "hasRoutes" | "adoptRoutes">;
  files: FilesThread;
  path: string;
  isolation: Isolation;
  /** A platform whose chats aren't in the file: its routes say nothing about the others. */
  except: string;
}

/**
 * The first start in a home that another Hermes has used: its index tells which chat is in which session. Read once;
 * from then on the database is the truth. A file that can't be read is kept aside.
 */
export async function adoptIndex({
  store,
  files,
  path,
  isolation,
  except,
}: AdoptionPlace): Promise<Adoption> {
  const corrupt = await files.call("setAsideIfCorrupt", { path });
  if (corrupt) {
    const problem = `sessions.json can't be read (${corrupt.reason}); it was kept as ${corrupt.aside}.`;
    return { adopted: 0, problems: [problem] };
  }
  if (await store.hasRoutes(except)) return { adopted: 0, problems: [] };
  const index = await readIndex(path);
  if (index === "missing" || "corrupt" in index) return { adopted: 0, problems: [] };
  const adopted = await store.adoptRoutes(
    index.entries.map((entry) => ({ ...entry, tuple: originTuple(entry.origin, isolation) })),
  );
  return { adopted, problems: index.problems };
}
