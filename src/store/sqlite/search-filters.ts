import type { SearchOptions } from "../store.js";
import { type Condition, seesAll, visibleTo } from "./visibility.js";

/** Which rows `m` of sessions `s` a search may return, and which page of them. */

const DEFAULT_LIMIT = 20;

/** The text depends on which options are set, never on their values, so that the statement can be kept. */
export function filters(options: SearchOptions): Condition {
  const visible = visibleTo(options.asker);
  const parts = ["m.active = 1", visible.sql];
  const params = [...visible.params];
  const list = (column: string, values: readonly unknown[] | undefined, not = "") => {
    if (!values || values.length === 0) return;
    parts.push(`${column} ${not} IN (SELECT value FROM json_each(?))`);
    params.push(JSON.stringify(values));
  };
  list("s.source", options.sources);
  list("s.source", options.excludeSources, "NOT");
  list("m.role", options.roles);
  const bound = (operator: string, value: number | undefined) => {
    if (value === undefined) return;
    parts.push(`m.timestamp ${operator} ?`);
    params.push(value);
  };
  bound(">=", options.since);
  bound("<", options.until);
  return { sql: parts.join(" AND "), params };
}

/** More than undone messages is excluded, or there is no limit. */
export function isFiltered(options: SearchOptions): boolean {
  const { sources, excludeSources, roles, asker, since, until } = options;
  const lists = [sources, excludeSources, roles].some((list) => list !== undefined && list.length > 0);
  return lists || !seesAll(asker) || since !== undefined || until !== undefined || page(options)[0] < 0;
}

/** Limit and offset. A negative limit is none. */
export const page = (options: SearchOptions): [number, number] => [
  options.limit ?? DEFAULT_LIMIT,
  options.offset ?? 0,
];

export const direction = (options: SearchOptions) => (options.sort === "oldest" ? "ASC" : "DESC");
