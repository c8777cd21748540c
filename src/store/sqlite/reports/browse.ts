import type { Database } from "better-sqlite3";
import type { SessionId, SessionRow } from "../../../session.js";
import type { BrowsedSession, BrowseQuery, SessionPage } from "../../reports.js";
import { rootOf, tipOf } from "../lineage.js";
import { isListable, lastActive, summarise } from "../list.js";
import { fromPosition, toPosition } from "../position.js";
import { getSession } from "../sessions.js";
import { marks, sql } from "../statements.js";
import { longRead } from "../verb.js";
import { placeOf, routeKeyOf } from "./place.js";
import { type SessionPosition, walkByActivity } from "./walk.js";

const LIMIT = 50;
const MAX_LIMIT = 200;
/** Up to this many candidates are checked one by one; otherwise the list is walked from its newest end. */
const FEW = 2000;

/** A list entry: a lineage is listed under its root, with its tip's last activity. */
interface Conversation {
  root: SessionRow;
  tip: SessionRow;
  at: number;
}

/** Newest activity first: from an index if it has few candidates, otherwise backwards through time. */
export const browseSessions = longRead(function browseSessions(
  db: Database,
  { before, ...filters }: BrowseQuery,
): SessionPage {
  const sources = allSources(db);
  if (filters.id !== undefined) return { sessions: detailOf(db, filters.id), next: null, sources };
  const query = { ...filters, before: before === undefined ? undefined : positionAt(before) };
  const limit = Math.min(query.limit ?? LIMIT, MAX_LIMIT);
  const few = fewCandidates(db, query, sources);
  const { found, next } = few ? amongFew(db, few, query, limit) : alongTime(db, query, limit);
  return {
    sessions: found.map(({ root, tip }) => browsed(db, root, tip)),
    next: next && toPosition(next.at, next.id),
    sources,
  };
});

/** The query with its position. */
type Browsing = Omit<BrowseQuery, "before"> & { before: SessionPosition | undefined };

function positionAt(given: string): SessionPosition {
  const [at, id] = fromPosition(given, "number", "string");
  return { at, id };
}

function amongFew(db: Database, ids: readonly SessionId[], query: Browsing, limit: number) {
  const roots = new Map(ids.map((id) => rootOf(db, getSession(db, id)!)).map((root) => [root.id, root]));
  const all = [...roots.values()]
    .map((root) => conversation(db, root))
    .filter((one) => isBefore(one, query.before) && matches(db, one, query))
    .toSorted((a, b) => b.at - a.at || (b.tip.id > a.tip.id ? 1 : -1));
  const found = all.slice(0, limit);
  return { found, next: all.length > limit ? positionOf(found.at(-1)!) : null };
}

function alongTime(db: Database, query: Browsing, limit: number) {
  const found: Conversation[] = [];
  const walk = walkByActivity(db, { before: query.before, until: query.until, since: query.since });
  for (let step = walk.next(); ; step = walk.next()) {
    if (step.done) return { found, next: step.value };
    const session = getSession(db, step.value.id);
    // Skips earlier sessions of a lineage: it is listed at its tip.
    const root = session && rootOf(db, session);
    if (!root || tipOf(db, root).id !== session.id) continue;
    const one = { root, tip: session, at: step.value.at };
    if (!matches(db, one, query)) continue;
    found.push(one);
    if (found.length < limit) continue;
    walk.return(null);
    return { found, next: positionOf(one) };
  }
}

function conversation(db: Database, root: SessionRow): Conversation {
  const tip = tipOf(db, root);
  return { root, tip, at: lastActive(db, tip) };
}

function positionOf({ at, tip }: Conversation): SessionPosition {
  return { at, id: tip.id };
}

function isBefore({ at, tip }: Conversation, before: SessionPosition | undefined): boolean {
  return !before || at < before.at || (at === before.at && tip.id < before.id);
}

function matches(db: Database, { root, tip, at }: Conversation, query: Browsing): boolean {
  const { source, userId, since, until } = query;
  if (!isInState(root, tip, query.state)) return false;
  if (source !== undefined && root.source !== source) return false;
  if (since !== undefined && at < since) return false;
  if (until !== undefined && at >= until) return false;
  if (userId !== undefined && !isOf(db, root, userId)) return false;
  return isListable(db, root);
}

function isInState(root: SessionRow, tip: SessionRow, state: BrowseQuery["state"]): boolean {
  const archived = root.archived !== 0 || tip.archived !== 0;
  if (state === "archived") return archived;
  if (archived) return false;
  return state === undefined || (state === "active") === (tip.ended_at === null);
}

function isOf(db: Database, session: SessionRow, userId: string): boolean {
  if (session.user_id === userId) return true;
  const tookPart = sql(db, "SELECT 1 FROM gw_participants WHERE session_id = ? AND user_id = ?");
  return tookPart.get(session.id, userId) !== undefined;
}

/** The ids of all candidates, if there are few. */
function fewCandidates(
  db: Database,
  { userId, state, source }: Browsing,
  platforms: readonly string[],
): SessionId[] | undefined {
  const few = (text: string, ...params: unknown[]) => {
    const ids = db
      .prepare(`${text} LIMIT ${FEW + 1}`)
      .pluck()
      .all(...params) as SessionId[];
    return ids.length <= FEW ? ids : undefined;
  };
  return (
    (userId !== undefined
      ? few(
          `SELECT id FROM sessions WHERE user_id = ? UNION ALL
           SELECT session_id FROM gw_participants WHERE platform IN (${marks(platforms)}) AND user_id = ?
             AND session_id IN (SELECT id FROM sessions)`,
          userId,
          ...platforms,
          userId,
        )
      : undefined) ??
    (state === "archived" ? few("SELECT id FROM sessions WHERE archived = 1") : undefined) ??
    (state === "active" ? few("SELECT id FROM sessions WHERE ended_at IS NULL") : undefined) ??
    (source !== undefined ? few("SELECT id FROM sessions WHERE source = ?", source) : undefined)
  );
}

/** Jumps from one value to the next in the index, instead of reading all sessions. */
function allSources(db: Database): string[] {
  return sql(
    db,
    `WITH RECURSIVE each(source) AS (
       SELECT min(source) FROM sessions
       UNION ALL SELECT (SELECT min(source) FROM sessions WHERE source > each.source) FROM each WHERE each.source IS NOT NULL
     ) SELECT source FROM each WHERE source IS NOT NULL`,
  )
    .pluck()
    .all() as string[];
}

/** The session itself, not its lineage's tip. */
function detailOf(db: Database, id: SessionId): BrowsedSession[] {
  const session = getSession(db, id);
  if (!session) return [];
  const { lineage_root_id: _, ...alone } = browsed(db, session, session);
  const detail = { system_prompt: session.system_prompt, session_key: routeKeyOf(db, id) };
  return [{ ...alone, detail }];
}

function browsed(db: Database, root: SessionRow, tip: SessionRow): BrowsedSession {
  const { system_prompt: _, model_config: __, ...summary } = summarise(db, root, tip);
  return { ...summary, place: placeOf(db, tip) };
}
