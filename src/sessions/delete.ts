import type { SessionId } from "../session.js";
import type { Store } from "../store/store.js";

type DeletingStore = Pick<Store, "getSession" | "getLineage" | "deleteSessions">;

/** Deletes a session and the work it delegated. False if it doesn't exist. */
export async function deleteSession(store: DeletingStore, id: SessionId): Promise<boolean> {
  return (await store.deleteSessions(await withDelegated(store, [id]))) > 0;
}

/** The sessions that exist, and those of the work they delegated. */
export async function withDelegated(
  store: Pick<Store, "getSession" | "getLineage">,
  ids: readonly SessionId[],
): Promise<SessionId[]> {
  const all = new Set<SessionId>();
  for (const id of ids) {
    if (!(await store.getSession(id))) continue;
    all.add(id);
    const { descendants } = await store.getLineage(id);
    // Parents come before their children.
    for (const { id: child, kind, parent_session_id: parent } of descendants)
      if (kind === "delegate" && parent !== null && all.has(parent)) all.add(child);
  }
  return [...all];
}
