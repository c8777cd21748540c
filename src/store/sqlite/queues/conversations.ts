import type { Database } from "better-sqlite3";
import type { SessionId, SessionKey, SessionRow } from "../../../session.js";
import { lineageBase } from "../../../title.js";
import type { ConversationPage, ConversationQuery, ConversationRow } from "../../queues.js";
import { forkOf, kindOf } from "../lineage.js";
import { lastActive, summarise } from "../list.js";
import { getSession } from "../sessions.js";
import { sql } from "../statements.js";
import { longRead } from "../verb.js";
import { OPEN_IN } from "./schema.js";

const LIMIT = 50;

/** Without the prompt, because it is long. */
type Light = Pick<
  SessionRow,
  | "id"
  | "parent_session_id"
  | "title"
  | "model_config"
  | "started_at"
  | "ended_at"
  | "end_reason"
  | "message_count"
>;

interface ChatSession {
  key: SessionKey;
  session: SessionId;
  thread: string | null;
  /** The session continues in another chat. */
  left: 0 | 1;
}

interface Found {
  id: string | null;
  key: SessionKey | null;
  session: Light;
  tree: Light[];
  at: number;
}

/** A person has few conversations: all are checked, but only one page is read in full. */
export const listConversations = longRead(function listConversations(
  db: Database,
  query: ConversationQuery,
): ConversationPage {
  const { limit = LIMIT, before } = query;
  const wanted = allOf(db, query)
    .filter((one) => isWanted(one, query))
    .toSorted((a, b) => b.at - a.at || (position(a) < position(b) ? 1 : -1));
  const from = before === undefined ? 0 : wanted.findIndex((one) => isBehind(one, before));
  const page = from === -1 ? [] : wanted.slice(from, from + limit);
  const isMore = from !== -1 && wanted.length > from + limit;
  return { conversations: page.map((one) => toRow(db, one)), next: isMore ? position(page.at(-1)!) : null };
});

function allOf(db: Database, { person, key }: ConversationQuery): Found[] {
  const sessions = new Map(sessionsOf(db, person.platform, person.userId).map((row) => [row.id, row]));
  const trees = treesOf(sessions);
  const dated = (id: string | null, at: SessionKey | null, session: Light, tree: Light[]): Found => ({
    ...{ id, key: at, session, tree },
    at: lastActive(db, session as SessionRow),
  });
  const inKey = chatSessionsOf(db, key);
  const inChats = inKey.flatMap(({ key: own, session: id, thread, left }) => {
    const session = sessions.get(id);
    if (!session || left) return [];
    if (session.message_count === 0 && begunWith(db, own) === undefined) return [];
    return [dated(thread, own, session, trees.get(topOf(session, sessions).id)!)];
  });
  const taken = new Set(inKey.flatMap(({ session: id }) => idOfTree(id, sessions)));
  const others = [...trees].flatMap(([top, tree]) => {
    const spoken = tree.filter(({ message_count }) => message_count > 0);
    const latest = spoken.toSorted((a, b) => a.started_at - b.started_at).at(-1);
    return latest && !taken.has(top) && isListed(tree[0]!, sessions) ? [dated(top, null, latest, tree)] : [];
  });
  return [...inChats, ...others];
}

/** The question of a first turn, which runs or waits for a decision: its session has no messages until it ends. */
function begunWith(db: Database, key: SessionKey): string | undefined {
  return sql(
    db,
    `SELECT payload ->> '$.text' FROM gw_inbox WHERE state IN ('waiting', 'running') AND ${OPEN_IN}
       AND session_key = ? AND turn_id IS NOT NULL ORDER BY id LIMIT 1`,
  )
    .pluck()
    .get(key) as string | undefined;
}

function sessionsOf(db: Database, platform: string, userId: string): Light[] {
  return sql(
    db,
    `SELECT id, parent_session_id, title, model_config, started_at, ended_at, end_reason, message_count
     FROM sessions WHERE user_id = ? AND source = ? ORDER BY started_at, id`,
  ).all(userId, platform) as Light[];
}

/** Range over the chat and its threads (";" follows ":"). Keys with more parts after the thread belong to background work. */
function chatSessionsOf(db: Database, key: SessionKey): ChatSession[] {
  return sql(
    db,
    `SELECT session_key AS key, session_id AS session, origin ->> '$.threadId' AS thread,
       expired_reason IS 'session_switch' AS left
     FROM gw_routes WHERE session_key = @key
       OR (session_key > @key || ':' AND session_key < @key || ';' AND session_key = @key || ':' || (origin ->> '$.threadId'))`,
  ).all({ key }) as ChatSession[];
}

/** By first session, oldest first. */
function treesOf(sessions: ReadonlyMap<SessionId, Light>): Map<SessionId, Light[]> {
  const trees = new Map<SessionId, Light[]>();
  for (const session of sessions.values()) {
    const top = topOf(session, sessions);
    if (top === session) trees.set(top.id, [session, ...(trees.get(top.id) ?? [])]);
    else trees.set(top.id, [...(trees.get(top.id) ?? []), session]);
  }
  return trees;
}

const MAX_STEPS = 100;

function topOf(session: Light, sessions: ReadonlyMap<SessionId, Light>): Light {
  let top = session;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const parent = top.parent_session_id === null ? undefined : sessions.get(top.parent_session_id);
    if (!parent || !continues(top, parent)) break;
    top = parent;
  }
  return top;
}

function continues(session: Light, parent: Light): boolean {
  return (
    forkOf(session) !== undefined || kindOf(session as SessionRow, parent as SessionRow) === "compression"
  );
}

function idOfTree(id: SessionId, sessions: ReadonlyMap<SessionId, Light>): SessionId[] {
  const session = sessions.get(id);
  return session ? [topOf(session, sessions).id] : [];
}

/** Skips delegated work. */
function isListed(top: Light, sessions: ReadonlyMap<SessionId, Light>): boolean {
  const parent = top.parent_session_id === null ? undefined : sessions.get(top.parent_session_id);
  const kind = kindOf(top as SessionRow, parent as SessionRow | undefined);
  return kind === "root" || kind === "branch";
}

function isWanted({ id, tree }: Found, { ids, holding, except }: ConversationQuery): boolean {
  if (ids && !ids.includes(id ?? "")) return false;
  if (except?.includes(id ?? "")) return false;
  return !holding || tree.some((session) => holding.includes(session.id));
}

function position({ at, session }: Found): string {
  return `${at}/${session.id}`;
}

function isBehind(one: Found, before: string): boolean {
  const at = Number(before.split("/", 1)[0]);
  return one.at < at || (one.at === at && position(one) < before);
}

function toRow(db: Database, { id, key, session, tree, at }: Found): ConversationRow {
  const stored = getSession(db, session.id)!;
  const begun = session.message_count === 0 && key !== null ? begunWith(db, key) : undefined;
  const preview = begun ?? summarise(db, stored, stored).preview;
  return {
    ...{ id, sessionKey: key, sessionId: session.id, preview, lastActive: at },
    sessions: tree.map((one) => one.id),
    title: titleOf(session, tree),
    messageCount: session.message_count,
  };
}

/** Forks and continuations have their origin's title plus a number. */
function titleOf({ title }: Light, tree: readonly Light[]): string | null {
  if (title === null) return null;
  const base = lineageBase(title);
  return tree.some((one) => one.title === base) ? base : title;
}
