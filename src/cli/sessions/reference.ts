import { HermesError } from "../../errors.js";
import type { SessionRow } from "../../session.js";
import type { Store } from "../../store/store.js";
import { sanitizeTitle } from "../../title.js";
import { SHORT, withStore } from "../open.js";

/** Opens the store and finds the session that a person named, or says that there is none. */
export function withSession<T>(
  reference: string,
  work: (store: Store, session: SessionRow) => Promise<T>,
): Promise<T> {
  return withStore(
    async (store) => work(store, await requireSession(store, reference)),
    () => {
      throw notFound(reference);
    },
    SHORT,
  );
}

export async function requireSession(store: Store, reference: string): Promise<SessionRow> {
  const session = await store.resolveSession(reference);
  if (!session) throw notFound(reference);
  return session;
}

function notFound(reference: string): HermesError {
  return new HermesError("not_found", `Session '${reference}' not found.`, {
    hint: "`hermes sessions list` shows what there is.",
  });
}

/**
 * A title means the newest session of its lineage ("my project" for "my project #3"). Good for reading on, but
 * who changes or deletes must say exactly which one they mean.
 */
export function requireExact(reference: string, session: SessionRow): void {
  if (session.id.startsWith(reference) || session.title === sanitizeTitle(reference)) return;
  throw new HermesError("conflict", `'${reference}' goes on as '${session.title}' (${session.id}).`, {
    hint: "Name the session that you mean by its id.",
  });
}
