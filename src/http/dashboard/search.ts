import type { Reports } from "../../store/reports.js";
import type { SearchHit } from "../../store/store.js";
import type { SearchAnswer } from "./types.js";

/**
 * Turns the last word of a query into a prefix search, because it may still be typed. A word that is finished
 * (followed by a space, a quote or a star) and an operator (AND, OR, NOT) stay as they are.
 */
export function asTyped(query: string): string {
  const last = /(?:^|\s)([\p{L}\p{N}_]{2,})$/u.exec(query)?.[1];
  if (last === undefined || /^(?:AND|OR|NOT)$/i.test(last)) return query;
  const insideQuotes = (query.match(/"/g) ?? []).length % 2 === 1;
  return insideQuotes ? query : `${query}*`;
}

/** Adds the person and the chat of each hit's session. */
export async function withNames(
  reports: Pick<Reports, "browseSessions">,
  hits: readonly SearchHit[],
): Promise<SearchAnswer["hits"]> {
  const ids = [...new Set(hits.map(({ session_id }) => session_id))];
  const rows = await Promise.all(ids.map(async (id) => (await reports.browseSessions({ id })).sessions[0]));
  const sessions = new Map(ids.map((id, i) => [id, rows[i]]));
  return hits.map(({ context: _, ...hit }) => {
    const session = sessions.get(hit.session_id);
    return { ...hit, user_id: session?.user_id ?? null, place: session?.place ?? null };
  });
}
