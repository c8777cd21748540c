import type { SessionId } from "../session.js";
import type { Store } from "../store/store.js";

type DeletingStore = Pick<Store, "getSession" | "getLineage" | "deleteSessions">;

/** Deletes a session and the work it delegated. False if it doesn't exist. */
export async function deleteSession(store: DeletingStore, id: SessionId): Promise<boolean> {
  if (!(await store.getSession(id))) return false;
  const { descendants } = await store.getLineage(id);
  const gone = new Set([id]);
  // Parents come before their children.
  for (const { id: child, kind, parent_session_id: parent } of descendants)
    if (kind === "delegate" && parent !== null && gone.has(parent)) gone.add(child);
  return (await store.deleteSessions([...gone])) > 0;
}
