import type { Database } from "better-sqlite3";
import type { SearchOptions } from "../store.js";
import { whileInTime } from "./deadline.js";
import type { FullTextTable } from "./fulltext.js";
import { direction, filters, page } from "./search-filters.js";
import { ROWID, snippetIn, snippetsBetween } from "./search-snippets.js";
import { sql } from "./statements.js";
import type { Condition } from "./visibility.js";

/**
 * Matches in the order of time, newest or oldest first. FTS5 gives them in the order of their row ids, which is the
 * order of writing and follows time only roughly: imports and platforms' clocks break it. So the search begins with
 * time: the index of times gives the messages of the last while, and one pass over the word's matches finds those that
 * are among them. If these are enough, no other match can be newer. A sample of the matches says how long the while has
 * to be: a wrong estimate costs time, never a match. Few matches are simply sorted.
 */
export function byTime(
  db: Database,
  table: FullTextTable,
  match: string,
  options: SearchOptions,
  snippets = new Map<number, string>(),
): number[] {
  const search: Search = { db, table, match, options, newest: options.sort !== "oldest", snippets };
  const [limit, offset] = page(options);
  if (limit < 0) return sortByTime(db, firstMatches(search, -1), options);
  return limit === 0 ? [] : timeOrdered(search, offset + limit).slice(offset);
}

interface Search {
  db: Database;
  table: FullTextTable;
  match: string;
  options: SearchOptions;
  newest: boolean;
  /** Of the matches that were found in a window: FTS5 makes them in the same pass. */
  snippets: Map<number, string>;
}

interface Found {
  id: number;
  timestamp: number;
}

/** Up to this many matches, sorting all of them is faster than reading the messages in the order of time. */
const FEW = 1000;
/** Up to this many are sorted right away. */
const VERY_FEW = 200;
/** Reading this many ids from the index of times takes as long as sorting a few hundred matches. */
const FAR = 20_000;
/** The first window may be too small: matches aren't spread evenly, and filters leave some out. */
const WINDOWS = 3;

function timeOrdered(search: Search, count: number): number[] {
  const sample = firstMatches(search, VERY_FEW + 1);
  if (sample.length <= VERY_FEW) return sorted(search, sample, count);
  /** Messages per match. */
  const gap = Math.max(1, Math.abs(sample[0]! - sample.at(-1)!) / sample.length);
  let gapShown = gap;
  for (let tried = 0; tried < WINDOWS; tried += 1) {
    const size = Math.ceil(gapShown * withSpare(count, gapShown));
    if (size > FAR) break;
    const window = windowOf(search, size);
    const found = matchesIn(search, window, count, gap);
    if (!found) break;
    if (found.length >= count || window.isAll) return toIds(search, found).slice(0, count);
    gapShown = Math.max(2 * gapShown, size / Math.max(1, found.length));
  }
  return theLongWay(search, count);
}

/** So many matches expected that there are hardly ever fewer than `count`: two standard deviations more. */
const withSpare = (count: number, gap: number) => count + 2 * Math.sqrt(count * (1 - 1 / gap)) + 1;

const sorted = (search: Search, matches: readonly number[], count: number) =>
  toIds(search, shown(search, matches)).slice(0, count);

function theLongWay(search: Search, count: number): number[] {
  const matches = firstMatches(search, FEW + 1);
  return matches.length <= FEW ? sorted(search, matches, count) : bySteps(search, count);
}

/** The last messages by time, or the first, as far as the filters have no other bound. */
interface Window extends Condition {
  size: number;
  /** It isn't cut off: there are no other messages. */
  isAll: boolean;
  /** Its messages were written far apart. A guess by its first and its last. */
  isScattered: boolean;
}

/** In a window of messages that were written in order, ids are this close: others write meanwhile. */
const SCATTERED = 8;

function windowOf({ db, options, newest }: Search, size: number): Window {
  const bound = newest ? options.until : options.since;
  const bounds: Condition =
    bound === undefined ? ALL : { sql: `timestamp ${newest ? "<" : ">="} ?`, params: [bound] };
  const at = sql(
    db,
    `SELECT id, timestamp FROM messages WHERE ${bounds.sql} ORDER BY timestamp ${direction(options)} LIMIT 1 OFFSET ?`,
  );
  const first = at.get(...bounds.params, 0) as Found | undefined;
  const end = at.get(...bounds.params, size) as Found | undefined;
  if (!first || !end) return { ...bounds, size, isAll: true, isScattered: false };
  return {
    sql: `timestamp ${newest ? ">=" : "<="} ? AND ${bounds.sql}`,
    params: [end.timestamp, ...bounds.params],
    size,
    isAll: false,
    isScattered: Math.abs(first.id - end.id) > SCATTERED * size,
  };
}

const ALL: Condition = { sql: "1", params: [] };

/** Listing more matches than this takes longer than looking up a few. */
const MAX_LISTED = 10_000;
const MAX_LOOKUPS = 100;

/** At least the first `count` of those that the filters let through. Undefined if that takes too long. */
function matchesIn(search: Search, window: Window, count: number, gap: number): Found[] | undefined {
  if (window.isScattered) {
    const last = sql(search.db, "SELECT max(id) FROM messages").pluck().get() as number;
    if (last / gap <= MAX_LISTED) return listed(search, window, count);
    if (window.size <= MAX_LOOKUPS) return lookedUp(search, window, count, gap);
  }
  return passed(search, window, gap);
}

/** All matches in a list, then the messages by time until enough of them are on it. */
function listed(search: Search, window: Window, count: number): Found[] {
  const { db, table, match, options, snippets } = search;
  const filter = filters(options);
  const found = sql(
    db,
    `SELECT m.id, m.timestamp FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
     WHERE ${window.sql} AND +m.id IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?) AND ${filter.sql}
     ORDER BY ${timeOrder(options)} LIMIT ?`,
  ).all(...window.params, match, ...filter.params, count) as Found[];
  const ids = found.map(({ id }) => id).slice(page(options)[1]);
  for (const [id, snippet] of snippetsBetween(db, table, match, ids)) snippets.set(id, snippet);
  return found;
}

/** Where the index has many small segments, looking up takes ten times as long. */
const SLOW_LOOKUP_MS = 0.08;
const TRIED_LOOKUPS = 4;

/** One by one, in the order of time: for a common word in messages that were written far apart. */
function lookedUp(search: Search, window: Window, count: number, gap: number): Found[] | undefined {
  const ids = sql(
    search.db,
    `SELECT m.id FROM messages m WHERE ${window.sql} ORDER BY ${timeOrder(search.options)}`,
  )
    .pluck()
    .all(...window.params) as number[];
  const found: Found[] = [];
  const startedMs = performance.now();
  for (const [tried, id] of ids.entries()) {
    if (found.length === count) break;
    if (tried === TRIED_LOOKUPS && performance.now() - startedMs > tried * SLOW_LOOKUP_MS)
      return passed(search, window, gap);
    found.push(...matchesBetween(search, id, id, ALL));
  }
  return found;
}

/** Passing more than this takes longer than `bySteps`. */
const MAX_PASSED = 30_000;
/** Reading the time of one match takes as long as listing the ids of this many messages. */
const LISTED_PER_READ = 8;

/** One pass over all matches from the first id to the last. `+` keeps SQLite from starting over for each id. */
function passed(search: Search, window: Window, gap: number): Found[] | undefined {
  const [from, to] = sql(search.db, `SELECT min(id), max(id) FROM messages WHERE ${window.sql}`)
    .raw()
    .get(...window.params) as [number, number];
  const matches = (to - from) / gap;
  if (matches > MAX_PASSED) return undefined;
  if (matches < window.size / LISTED_PER_READ) return matchesBetween(search, from, to, window);
  const inWindow = `+f.rowid IN (SELECT id FROM messages WHERE ${window.sql})`;
  return matchesBetween(search, from, to, { sql: inWindow, params: window.params });
}

/** FTS5 is the outer loop: a snippet is made for those matches only that pass the filters. */
function matchesBetween(search: Search, from: number, to: number, condition: Condition): Found[] {
  const { db, table, match, options, snippets } = search;
  const filter = filters(options);
  // Matches before the page are only counted.
  const snippet = page(options)[1] === 0 ? snippetIn(table) : "NULL";
  const rows = sql(
    db,
    `SELECT m.id, m.timestamp, ${snippet}
     FROM ${table} f CROSS JOIN messages m ON m.id = f.rowid CROSS JOIN sessions s ON s.id = m.session_id
     WHERE ${table} MATCH ? AND f.rowid BETWEEN ${ROWID} AND ${ROWID} AND ${condition.sql} AND ${filter.sql}`,
  )
    .raw()
    .all(match, from, to, ...condition.params, ...filter.params) as [number, number, string | null][];
  return rows.map(([id, timestamp, text]) => {
    if (text !== null) snippets.set(id, text.trimEnd());
    return { id, timestamp };
  });
}

/** In the order of ids. A negative count is all of them. */
function firstMatches({ db, table, match, options }: Search, count: number): number[] {
  return sql(
    db,
    `SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid ${direction(options)} LIMIT ?`,
  )
    .pluck()
    .all(match, count) as number[];
}

/** Those that the filters let through. */
function shown({ db, options }: Search, ids: readonly number[]): Found[] {
  const filter = filters(options);
  return sql(
    db,
    `SELECT m.id, m.timestamp
     FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value CROSS JOIN sessions s ON s.id = m.session_id
     WHERE ${filter.sql}`,
  ).all(JSON.stringify(ids), ...filter.params) as Found[];
}

function toIds({ newest }: Search, found: readonly Found[]): number[] {
  const sign = newest ? -1 : 1;
  return found.toSorted((a, b) => sign * (a.timestamp - b.timestamp || a.id - b.id)).map(({ id }) => id);
}

const STEP = 1000;

/** Messages in the order of time, many at once, until enough of them match: for filters that leave most out. */
function bySteps(search: Search, count: number): number[] {
  const { db, table, match } = search;
  const inRange = sql(
    db,
    `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid BETWEEN ${ROWID} AND ${ROWID}`,
  ).pluck();
  const ids: number[] = [];
  for (const step of stepsInTime(search)) {
    const matching = new Set(inRange.all(match, Math.min(...step), Math.max(...step)));
    ids.push(...step.filter((id) => matching.has(id)));
    if (ids.length >= count) break;
  }
  return ids.slice(0, count);
}

function* stepsInTime({ db, options }: Search): Generator<number[]> {
  const filter = filters(options);
  const rows = sql(
    db,
    `SELECT m.id FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
     WHERE ${filter.sql} ORDER BY ${timeOrder(options)}`,
  )
    .pluck()
    .iterate(...filter.params) as IterableIterator<number>;
  let step: number[] = [];
  for (const id of whileInTime(rows)) {
    if (step.push(id) < STEP) continue;
    yield step;
    step = [];
  }
  if (step.length > 0) yield step;
}

export function sortByTime(db: Database, ids: readonly number[], options: SearchOptions): number[] {
  const filter = filters(options);
  return sql(
    db,
    `SELECT m.id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value JOIN sessions s ON s.id = m.session_id
     WHERE ${filter.sql} ORDER BY ${timeOrder(options)} LIMIT ? OFFSET ?`,
  )
    .pluck()
    .all(JSON.stringify(ids), ...filter.params, ...page(options)) as number[];
}

const timeOrder = (options: SearchOptions) => `m.timestamp ${direction(options)}, m.id ${direction(options)}`;
