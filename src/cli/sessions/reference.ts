import { HermesError } from "../../errors.js";
import type { SessionRow } from "../../session.js";
import type { Store } from "../../store/store.js";
import { sanitizeTitle } from "../../title.js";
import { SHORT, withStore } from "../open.js";

/** Opens the store and finds the session a user named, or fails with a clear error. */
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
  const session = await store.getSession({ called: reference });
  if (!session) throw notFound(reference);
  return session;
}

function notFound(reference: string): HermesError {
  return new HermesError("not_found", `Session '${reference}' not found.`, {
    hint: "`hermes sessions list` shows all sessions.",
  });
}

/**
 * A title means the newest session of its lineage ("my project" for "my project #3"). That is fine for
 * reading, but changes and deletions need an exact reference.
 */
export function requireExact(reference: string, session: SessionRow): void {
  if (session.id.startsWith(reference) || session.title === sanitizeTitle(reference)) return;
  throw new HermesError("conflict", `'${reference}' continues as '${session.title}' (${session.id}).`, {
    hint: "Use the id of the session you mean.",
  });
}
