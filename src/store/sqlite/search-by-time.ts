import type { Database } from "better-sqlite3";
import type { SearchOptions } from "../store.js";
import { whileInTime } from "./deadline.js";
import type { FullTextTable } from "./fulltext.js";
import { direction, filters, page } from "./search-filters.js";
import { sql } from "./statements.js";

/**
 * Matches in the order of time, newest or oldest first. FTS5 gives them in the order of their row ids, which is the
 * order of writing, and that follows time only roughly: imports and platforms' clocks break it. So the first matches by
 * id are taken, and then every message is checked that is newer than the last of these but was written before it. The
 * index of times finds those; where writing followed time there are none. What is left out is older than everything
 * that was found.
 */
export function byTime(db: Database, table: FullTextTable, match: string, options: SearchOptions): number[] {
  const search: Search = { db, table, match, options, newest: options.sort !== "oldest" };
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
}

interface Found {
  id: number;
  timestamp: number;
}

/** As many matches may be sorted; more would take longer than any other way. */
const FEW = 1000;
/** As many are sorted without looking for a better way. */
const VERY_FEW = 200;
/** Room among the first matches for those that the filters leave out. */
const SPARE = 2;
/** Passing so many ids in the index of times takes as long as sorting a few hundred matches. */
const FAR = 20_000;

function timeOrdered(search: Search, count: number): number[] {
  const matches = firstMatches(search, FEW + 1);
  const isAll = matches.length <= FEW;
  const theLongWay = () =>
    isAll ? toIds(search, shown(search, matches, -1)).slice(0, count) : bySteps(search, count);
  if (matches.length <= VERY_FEW) return theLongWay();
  const first = shown(search, matches.slice(0, SPARE * count), count);
  if (first.length < count) first.push(...shown(search, matches.slice(SPARE * count), count - first.length));
  if (first.length < count || (isAll && distance(search, first.at(-1)!.id) > FAR)) return theLongWay();
  const isMatch = isAll ? knownMatches(matches) : probe(search, matches, count);
  const best = withStragglers(search, first, isMatch);
  return best ? toIds(search, best) : theLongWay();
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

/** The first of these that the filters let through. */
function shown({ db, options }: Search, ids: readonly number[], count: number): Found[] {
  const filter = filters(options);
  return sql(
    db,
    `SELECT m.id, m.timestamp
     FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value CROSS JOIN sessions s ON s.id = m.session_id
     WHERE ${filter.sql} LIMIT ?`,
  ).all(JSON.stringify(ids), ...filter.params, count) as Found[];
}

/** From the newest message (or the oldest) to this one, in ids. */
function distance({ db, newest }: Search, id: number): number {
  const end = sql(db, `SELECT ${newest ? "max" : "min"}(id) FROM messages`)
    .pluck()
    .get() as number;
  return Math.abs(end - id);
}

type IsMatch = (id: number) => boolean | undefined;

const KNOWN_MAX = 300;

/** Undefined once so many were asked for that sorting all matches is faster. */
function knownMatches(matches: readonly number[]): IsMatch {
  const known = new Set(matches);
  let left = KNOWN_MAX;
  return (id) => (left-- > 0 ? known.has(id) : undefined);
}

/** A word in at least every so-manieth message is met soon, one message after the other. */
const COMMON = 3;
const PROBES_MAX = 100;
const PROBES_FOR_OTHERS = 10;

/** Asks the index about one message at a time. Undefined once that was done too often. */
function probe({ db, table, match }: Search, matches: readonly number[], count: number): IsMatch {
  const ask = sql(db, `SELECT 1 FROM ${table} WHERE ${table} MATCH ? AND rowid = ${ROWID}`).pluck();
  const span = Math.abs(matches[0]! - matches.at(-1)!);
  const isCommon = span <= COMMON * matches.length;
  let left = isCommon ? Math.min(PROBES_MAX, COMMON * count) : PROBES_FOR_OTHERS;
  return (id) => (left-- > 0 ? ask.get(match, id) !== undefined : undefined);
}

/** better-sqlite3 binds numbers as REAL, and FTS5 reads all matches where a bound of the row id isn't an INTEGER. */
export const ROWID = "CAST(? AS INTEGER)";

/**
 * The best of `first` and of the matches that were written before (newest first) or after (oldest first) all of these,
 * but belong among them by their time. It passes no more messages than lie between the end of the file and the last of
 * `first`, plus the stragglers. Undefined when it can't tell whether one matches.
 */
function withStragglers(search: Search, first: readonly Found[], isMatch: IsMatch): Found[] | undefined {
  let best = inOrder(search, first);
  for (const straggler of whileInTime(stragglers(search, first.at(-1)!.id, best.at(-1)!.timestamp))) {
    if (!isBefore(search, straggler, best.at(-1)!)) break;
    const matches = isMatch(straggler.id);
    if (matches === undefined) return undefined;
    if (matches) best = inOrder(search, [...best.slice(0, -1), straggler]);
  }
  return best;
}

/** `+` keeps SQLite from walking the ids instead of the times. */
function stragglers({ db, options, newest }: Search, id: number, timestamp: number): Iterable<Found> {
  const filter = filters(options);
  return sql(
    db,
    `SELECT m.id, m.timestamp FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
     WHERE m.timestamp ${newest ? ">" : "<"} ? AND +m.id ${newest ? "<" : ">"} ? AND ${filter.sql}
     ORDER BY ${timeOrder(options)}`,
  ).iterate(timestamp, id, ...filter.params) as IterableIterator<Found>;
}

function isBefore({ newest }: Search, a: Found, b: Found): boolean {
  const difference = b.timestamp - a.timestamp || b.id - a.id;
  return newest ? difference < 0 : difference > 0;
}

const inOrder = (search: Search, found: readonly Found[]) =>
  found.toSorted((a, b) => (isBefore(search, a, b) ? -1 : 1));

const toIds = (search: Search, found: readonly Found[]) => inOrder(search, found).map(({ id }) => id);

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
