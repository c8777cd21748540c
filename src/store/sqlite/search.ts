import type { Database } from "better-sqlite3";
import type { Role } from "../../session.js";
import { CJK } from "../shared/cjk.js";
import { decodeContent, plainText } from "../shared/content.js";
import { phrase, planSearch, TRIGRAM } from "../shared/plan-search.js";
import { type Expression, hasTokens, termsOf } from "../shared/query.js";
import { snippetOf } from "../shared/snippet.js";
import type { SearchHit, SearchOptions, SearchPlan, SearchResult } from "../store.js";
import { checkDeadline, inTime } from "./deadline.js";
import { type FullTextTable, indexedText } from "./fulltext.js";
import { byTime, sortByTime } from "./search-by-time.js";
import { direction, filters, isFiltered, page } from "./search-filters.js";
import { markedSnippets, snippetIn } from "./search-snippets.js";
import { sql } from "./statements.js";
import { longRead } from "./verb.js";
import type { Condition } from "./visibility.js";

/**
 * A query → a plan → ids in order → rows. Snippets and contexts are made for the rows that are returned, never for
 * all that match.
 */

const CONTEXT_CHARS = 200;

export const searchMessages = longRead(function searchMessages(
  db: Database,
  query: string,
  options: SearchOptions = {},
): SearchResult {
  const { plan, expression } = planSearch(query, options.substring ?? false);
  const found = find(db, plan, expression, options);
  return { plan, hits: toHits(db, expression, found) };
});

// ── ids in order ────────────────────────────────────────────────────────────────────────────────────────────────

/** Ids in order, with their snippets where FTS5 makes them. */
type Found = Map<number, string | undefined>;

function find(db: Database, plan: SearchPlan, expression: Expression, options: SearchOptions): Found {
  const { path } = plan;
  if (path !== "fts" && path !== "trigram") {
    return new Map(byConditions(db, expression, options).map((id) => [id, undefined]));
  }
  const table = path === "fts" ? "messages_fts" : "messages_fts_trigram";
  if ((options.sort ?? "rank") !== "rank") {
    const snippets = new Map<number, string>();
    return marked(db, table, plan.match, byTime(db, table, plan.match, options, snippets), snippets);
  }
  return isFiltered(options)
    ? byRank(db, table, plan.match, options)
    : bestOfAll(db, table, plan.match, options);
}

/** Room for undone messages among the best. */
const SPARE = 2;

/** The best by rank, kept while the matches pass by: half the time of sorting them all, which `ORDER BY rank` does. */
function bestOfAll(db: Database, table: FullTextTable, match: string, options: SearchOptions): Found {
  const best = sql(
    db,
    `SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}), rowid LIMIT ?`,
  ).pluck();
  const shown = sql(
    db,
    `SELECT m.id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value CROSS JOIN sessions s ON s.id = m.session_id
     WHERE m.active = 1`,
  ).pluck();
  const [limit, offset] = page(options);
  for (let count = SPARE * (offset + limit); ; count *= 10) {
    checkDeadline();
    const candidates = best.all(match, count);
    const ids = shown.all(JSON.stringify(candidates)) as number[];
    if (ids.length < offset + limit && candidates.length === count) continue;
    return marked(db, table, match, ids.slice(offset, offset + limit));
  }
}

/**
 * With a filter the position of its rows is unknown: FTS5 sorts all by rank, and we read until there are enough.
 * As long as it is the outer loop, a snippet is made only for each row that comes out.
 */
function byRank(db: Database, table: FullTextTable, match: string, options: SearchOptions): Found {
  const filter = filters(options);
  const rows = db
    .prepare(
      `SELECT f.rowid, ${snippetIn(table)}
       FROM ${table} f CROSS JOIN messages m ON m.id = f.rowid CROSS JOIN sessions s ON s.id = m.session_id
       WHERE ${table} MATCH ? AND ${filter.sql} ORDER BY f.rank LIMIT ? OFFSET ?`,
    )
    .raw()
    .all(match, ...filter.params, ...page(options)) as [number, string][];
  return new Map(rows.map(([id, snippet]) => [id, snippet.trimEnd()]));
}

function marked(
  db: Database,
  table: FullTextTable,
  match: string,
  ids: readonly number[],
  known: ReadonlyMap<number, string> = new Map(),
): Found {
  const snippets = markedSnippets(
    db,
    table,
    match,
    ids.filter((id) => !known.has(id)),
  );
  return new Map(ids.map((id) => [id, known.get(id) ?? snippets.get(id)]));
}

/** Boolean queries over several indexes. Terms without an index are read newest first, up to the last row wanted. */
function byConditions(db: Database, expression: Expression, options: SearchOptions): number[] {
  const filter = filters(options);
  const look = { db, substring: options.substring ?? false };
  const ids = idSet(look, expression);
  if (ids) {
    const all = db
      .prepare(ids.sql)
      .pluck()
      .all(...ids.params) as number[];
    return sortByTime(db, all, options);
  }
  const wanted = rowCondition(look, expression);
  return db
    .prepare(
      `SELECT m.id FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
       WHERE ${filter.sql} AND ${inTime("m.id")} AND ${wanted.sql} ORDER BY m.timestamp ${direction(options)} LIMIT ? OFFSET ?`,
    )
    .pluck()
    .all(...filter.params, ...wanted.params, ...page(options)) as number[];
}

interface Look {
  db: Database;
  /** Words may begin and end anywhere, which only the trigram index knows. */
  substring: boolean;
}

/** The matching ids as one SELECT, or nothing when a term isn't in any index. */
function idSet(look: Look, expression: Expression): Condition | undefined {
  if (expression.kind === "term") return indexed(look, expression);
  const left = idSet(look, expression.left);
  const right = idSet(look, expression.right);
  if (!left || !right) return undefined;
  const operator = { and: "INTERSECT", or: "UNION", not: "EXCEPT" }[expression.kind];
  return {
    sql: `SELECT * FROM (${left.sql}) ${operator} SELECT * FROM (${right.sql})`,
    params: [...left.params, ...right.params],
  };
}

function rowCondition(look: Look, expression: Expression): Condition {
  if (expression.kind === "term") {
    const ids = indexed(look, expression);
    if (ids) return { sql: `m.id IN (${ids.sql})`, params: ids.params };
    return textContains(expression.text);
  }
  const left = rowCondition(look, expression.left);
  const right = rowCondition(look, expression.right);
  const operator = { and: "AND", or: "OR", not: "AND NOT" }[expression.kind];
  return { sql: `(${left.sql} ${operator} ${right.sql})`, params: [...left.params, ...right.params] };
}

/** The trigram table keeps the text of all messages with CJK characters: the others needn't be read. */
function textContains(text: string): Condition {
  if (!CJK.test(text)) return { sql: `instr(lower(${indexedText("m")}), lower(?)) > 0`, params: [text] };
  return {
    sql: `EXISTS (SELECT 1 FROM messages_fts_trigram_content t WHERE t.id = m.id AND instr(lower(t.c0), lower(?)) > 0)`,
    params: [text],
  };
}

function indexed(
  { db, substring }: Look,
  term: Extract<Expression, { kind: "term" }>,
): Condition | undefined {
  if (CJK.test(term.text)) {
    const match = Array.from(term.text).length >= TRIGRAM ? phrase(term.text) : trigramsFrom(db, term.text);
    if (match === undefined) return undefined;
    return {
      sql: "SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ?",
      params: [match],
    };
  }
  if (substring || !hasTokens(term.text)) return undefined;
  const match = phrase(term.text) + (term.prefix ? "*" : "");
  return { sql: "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?", params: [match] };
}

const MAX_TRIGRAM_ROWS = 500;

/**
 * One or two CJK characters are too short for a trigram, but every occurrence starts one, since the indexed text ends in
 * blanks: the trigrams with that prefix find them all. Undefined if they occur in many messages: then scanning the newest
 * messages is faster.
 */
function trigramsFrom(db: Database, text: string): string | undefined {
  db.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.gw_trigrams USING fts5vocab(main, messages_fts_trigram, row)",
  );
  const trigrams = sql(db, "SELECT term, doc FROM gw_trigrams WHERE term >= ? AND term < ?").iterate(
    text,
    `${text}\u{10ffff}`,
  ) as IterableIterator<{ term: string; doc: number }>;
  const terms: string[] = [];
  let rows = 0;
  for (const { term, doc } of trigrams) {
    terms.push(term);
    rows += doc;
    if (rows > MAX_TRIGRAM_ROWS) return undefined;
  }
  return terms.length === 0 ? '""' : terms.map(phrase).join(" OR ");
}

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface FoundRow {
  id: number;
  session_id: string;
  role: Role;
  content: string | null;
  tool_name: string | null;
  tool_calls: string | null;
  timestamp: number;
  source: string;
  model: string | null;
  session_started: number;
  title: string | null;
  before_role: Role | null;
  before_content: string | null;
  after_role: Role | null;
  after_content: string | null;
}

function toHits(db: Database, expression: Expression, found: Found): SearchHit[] {
  const terms = termsOf(expression);
  return foundRows(db, [...found.keys()]).map((row) => {
    const { id, session_id, role, tool_name, timestamp, source, model, session_started, title } = row;
    const snippet =
      found.get(id) ??
      snippetOf(
        [plainText(decodeContent(row.content)), tool_name, row.tool_calls].filter(Boolean).join(" "),
        terms,
      );
    return {
      ...{ id, session_id, role, tool_name, timestamp, source, model, session_started, title },
      snippet,
      context: contextOf(row),
    };
  });
}

/** The id of the message beside `m` in its session. Undone messages stay hidden. */
const neighbour = (comparison: "<" | ">", order: "ASC" | "DESC") => `(
  SELECT n.id FROM messages n
  WHERE n.session_id = m.session_id AND n.timestamp ${comparison}= m.timestamp
    AND (n.timestamp, n.id) ${comparison} (m.timestamp, m.id) AND n.active = 1
  ORDER BY n.timestamp ${order}, n.id ${order} LIMIT 1)`;

/** In the order of the ids, with their neighbours: one statement, where three for each would take twice the time. */
function foundRows(db: Database, ids: readonly number[]): FoundRow[] {
  return sql(
    db,
    `SELECT m.id, m.session_id, m.role, m.content, m.tool_name, m.tool_calls, m.timestamp,
            s.source, s.model, s.started_at AS session_started, s.title,
            b.role AS before_role, b.content AS before_content, a.role AS after_role, a.content AS after_content
     FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value CROSS JOIN sessions s ON s.id = m.session_id
     LEFT JOIN messages b ON b.id = ${neighbour("<", "DESC")} LEFT JOIN messages a ON a.id = ${neighbour(">", "ASC")}`,
  ).all(JSON.stringify(ids)) as FoundRow[];
}

/** The message between its neighbours in the session. */
function contextOf(row: FoundRow): SearchHit["context"] {
  const around: [Role | null, string | null][] = [
    [row.before_role, row.before_content],
    [row.role, row.content],
    [row.after_role, row.after_content],
  ];
  return around.flatMap(([role, content]) =>
    role === null ? [] : [{ role, content: firstChars(plainText(decodeContent(content)), CONTEXT_CHARS) }],
  );
}

/** Counts code points, so that no emoji is cut in half. */
function firstChars(text: string, count: number): string {
  if (text.length <= count) return text;
  const start = text.slice(0, count);
  if (!/[\ud800-\udfff]/.test(start)) return start;
  let end = 0;
  for (let n = 0; n < count && end < text.length; n += 1) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
