/**
 * A query that is still being typed: its last word may be the beginning of one. What is marked as finished (a space, a
 * quote, a star behind it) or says something else (AND, OR, NOT) is left alone.
 */
export function asTyped(query: string): string {
  const last = /(?:^|\s)([\p{L}\p{N}_]{2,})$/u.exec(query)?.[1];
  if (last === undefined || /^(?:AND|OR|NOT)$/i.test(last)) return query;
  const insideQuotes = (query.match(/"/g) ?? []).length % 2 === 1;
  return insideQuotes ? query : `${query}*`;
}
