import type { Database } from "better-sqlite3";
import type { SearchOptions } from "../store.js";
import { whileInTime } from "./deadline.js";
import type { FullTextTable } from "./fulltext.js";
import { direction, filters, page } from "./search-filters.js";
import { sql } from "./statements.js";

/**
 * Matches in the order of time, newest or oldest first. FTS5 gives them in the order of their row ids, which is the
 * order of writing and follows time only roughly: imports and platforms' clocks break it. Three ways, the cheapest
 * first, each exact or not taken:
 * - The first matches by id. Then every message is checked that was written before the last of them but is newer. The
 *   index of times finds those; where writing followed time there are none.
 * - The messages of the last while, of which those that match are taken (`inWindow`).
 * - All matches sorted, or all messages in steps.
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
  /** Of the matches that were looked up one by one: a lookup costs more than its snippet. */
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
/** Room among the first matches for those that the filters leave out. */
const SPARE = 2;
/** Reading this many ids from the index of times takes as long as sorting a few hundred matches. */
const FAR = 20_000;

function timeOrdered(search: Search, count: number): number[] {
  const matches = firstMatches(search, Math.max(VERY_FEW, Math.min(FEW, SPARE * count)) + 1);
  if (matches.length <= VERY_FEW) return sorted(search, matches, count);
  const gap = Math.abs(matches[0]! - matches.at(-1)!) / matches.length;
  const first = firstById(search, matches, count);
  if (!first) return theLongWay(search, count);
  const isMatch = isKnown(search, matches, probe(search, count, gap));
  return inOrderOfTime(search, first, isMatch) ?? inWindow(search, count, gap) ?? theLongWay(search, count);
}

const sorted = (search: Search, matches: readonly number[], count: number) =>
  toIds(search, shown(search, matches, -1)).slice(0, count);

function theLongWay(search: Search, count: number): number[] {
  const matches = firstMatches(search, FEW + 1);
  return matches.length <= FEW ? sorted(search, matches, count) : bySteps(search, count);
}

/** Undefined where the filters leave out most. */
function firstById(search: Search, matches: readonly number[], count: number): Found[] | undefined {
  const first = shown(search, matches.slice(0, SPARE * count), count);
  if (first.length < count) {
    const more = firstMatches(search, FEW + 1).slice(SPARE * count);
    first.push(...shown(search, more, count - first.length));
  }
  return first.length < count ? undefined : first;
}

/** Undefined where too much was written out of order. */
function inOrderOfTime(search: Search, first: readonly Found[], isMatch: IsMatch): number[] | undefined {
  if (distance(search, first.at(-1)!.id) > FAR) return undefined;
  const best = withStragglers(search, first, isMatch);
  return best && toIds(search, best);
}

/** Reading more matches than this takes longer than `bySteps`. */
const MAX_IN_WINDOW = 30_000;
/** A window holds three times the messages in which enough matches are expected: they are not spread evenly. */
const WINDOW_SPARE = 3;

/**
 * The matches among the last messages by time (or the first). Undefined if there are too few, or too many matches in
 * the file. Their number is an estimate: a wrong one costs time, never a match.
 */
function inWindow(search: Search, count: number, gap: number): number[] | undefined {
  const { db, table, match, options, newest } = search;
  const size = Math.ceil(WINDOW_SPARE * gap * count);
  if (size > FAR || lastId(db) / gap > MAX_IN_WINDOW) return undefined;
  const end = sql(
    db,
    `SELECT timestamp FROM messages ORDER BY timestamp ${direction(options)} LIMIT 1 OFFSET ?`,
  )
    .pluck()
    .get(size) as number | undefined;
  const filter = filters(options);
  const ids = sql(
    db,
    `SELECT m.id FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
     WHERE m.timestamp ${newest ? ">=" : "<="} ?
       AND +m.id IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?) AND ${filter.sql}
     ORDER BY ${timeOrder(options)} LIMIT ?`,
  )
    .pluck()
    .all(end ?? (newest ? -Infinity : Infinity), match, ...filter.params, count) as number[];
  return ids.length === count || end === undefined ? ids : undefined;
}

const lastId = (db: Database) => sql(db, "SELECT max(id) FROM messages").pluck().get() as number;

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
  return newest ? lastId(db) - id : id - (sql(db, "SELECT min(id) FROM messages").pluck().get() as number);
}

type IsMatch = (id: number) => boolean | undefined;

const MAX_KNOWN = 300;

/** Of messages as far as `matches` reaches it is known whether they match. Others are asked for. */
function isKnown({ newest }: Search, matches: readonly number[], ask: IsMatch): IsMatch {
  const known = new Set(matches);
  const end = matches.at(-1)!;
  let left = MAX_KNOWN;
  return (id) => {
    if (newest ? id < end : id > end) return ask(id);
    return left-- > 0 ? known.has(id) : undefined;
  };
}

/** A word in one of three messages or more: the next message by time is likely to match. */
const COMMON_GAP = 3;
const MAX_PROBES = 100;
/** Each takes up to 80 µs: FTS5 reads the word's matches from the start. */
const PROBES_FOR_OTHERS = 3;

/** Asks the index about one message at a time. Undefined once that was done too often. */
function probe({ db, table, match, snippets }: Search, count: number, gap: number): IsMatch {
  const ask = sql(
    db,
    `SELECT ${snippetIn(table)} FROM ${table} WHERE ${table} MATCH ? AND rowid = ${ROWID}`,
  ).pluck();
  let left = gap <= COMMON_GAP ? Math.min(MAX_PROBES, COMMON_GAP * count) : PROBES_FOR_OTHERS;
  return (id) => {
    if (left-- <= 0) return undefined;
    const snippet = ask.get(match, id) as string | undefined;
    if (snippet !== undefined) snippets.set(id, snippet.trimEnd());
    return snippet !== undefined;
  };
}

export const snippetIn = (table: FullTextTable) => `snippet(${table}, 0, '>>>', '<<<', '...', 40)`;

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
