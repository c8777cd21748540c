/** The `session_search` tool: only the caller's own conversations. */
import { HermesError } from "../../errors.js";
import type { Principal } from "../../message.js";
import type { MessageRow, SessionId, SessionRow, SessionSummary } from "../../session.js";
import { clampedArgument, textArgument, wholeArgument } from "../arguments.js";
import type { SessionHit, SessionReader } from "../session-reader.js";
import { around, isoTime, isSpoken, shownMessage } from "../session-views.js";
import type { ToolDefinition } from "../tool.js";

const DESCRIPTION =
  "Earlier conversations. Without arguments: the latest ones. With query: those that match, each with the words " +
  "around the match. With session_id: that conversation. With session_id and around_message_id: more of it, there.";

const PARAMETERS = {
  type: "object",
  properties: {
    query: { type: "string", description: 'Words, "exact phrases", OR, NOT, prefix*' },
    limit: { type: "integer", description: "Conversations to find, 1 to 10; default 3" },
    role_filter: { type: "string", description: "Roles to search, with commas; default user,assistant" },
    sort: { type: "string", enum: ["newest", "oldest"], description: "Default: best match first" },
    session_id: { type: "string" },
    around_message_id: { type: "integer" },
    window: { type: "integer", description: "Messages on each side, 1 to 20; default 5" },
  },
};

/** Sources that aren't conversations: subagents and tools. */
const EXCLUDED_SOURCES = ["subagent", "tool"];

interface Search {
  reader: SessionReader;
  principal: Principal;
  currentId: SessionId;
  /** Several people see the answer. */
  shared: boolean;
}

type Args = Record<string, unknown>;

export function sessionSearchTool(reader: SessionReader): ToolDefinition {
  return {
    name: "session_search",
    toolset: "session_search",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    effect: "read",
    repeat: "safe",
    run: async (args, { principal, shared, session }) => {
      // In a room, owners have no extra rights, because others see the answers.
      const asker = shared ? { ...principal, owner: false } : principal;
      const search = { reader, principal: asker, currentId: session.id, shared };
      return JSON.stringify(await answer(search, args).catch(unavailable));
    },
  };
}

/** The arguments decide the mode. */
function answer(search: Search, args: Args): Promise<object> {
  const sessionId = textArgument(args, "session_id");
  const messageId = wholeArgument(args, "around_message_id");
  if (sessionId !== undefined && messageId !== undefined) return scroll(search, sessionId, messageId, args);
  if (sessionId !== undefined) return read(search, sessionId);
  const query = textArgument(args, "query");
  return query === undefined ? browse(search, args) : discover(search, query, args);
}

// --- scroll -------------------------------------------------------------------------------------------------------

async function scroll(search: Search, id: SessionId, messageId: number, args: Args): Promise<object> {
  if (!(await mayRead(search, id))) return notFound(id);
  const lineage = await lineageOf(search, id);
  if (lineage.includes(search.currentId))
    return mistake("This is the current conversation: you see it already.");
  const window = clampedArgument(args, "window", { least: 1, most: 20, otherwise: 5 });
  // Compression moves a conversation to a new id; the message may be on either side.
  for (const owner of [id, ...lineage.filter((other) => other !== id)]) {
    if (!(await mayRead(search, owner))) continue;
    const view = around(await search.reader.getMessages(owner), messageId, window);
    if (view) return { success: true, mode: "scroll", session_id: owner, ...view };
  }
  return mistake(`Message ${messageId} is not in session ${id}.`);
}

// --- read ---------------------------------------------------------------------------------------------------------

const READ_FIRST = 20;
const READ_LAST = 10;

async function read(search: Search, id: SessionId): Promise<object> {
  if (!(await mayRead(search, id))) return notFound(id);
  if (id === search.currentId) return mistake("This is the current conversation: you see it already.");
  const session = await search.reader.getSession(id);
  if (!session) return notFound(id);
  const rows = await search.reader.getMessages(id);
  return {
    success: true,
    mode: "read",
    ...about(session),
    message_count: rows.length,
    ...firstAndLast(rows),
  };
}

function firstAndLast(rows: readonly MessageRow[]): object {
  if (rows.length <= READ_FIRST + READ_LAST) return { messages: rows.map(shownMessage) };
  return {
    messages: rows.slice(0, READ_FIRST).map(shownMessage),
    messages_left_out: rows.length - READ_FIRST - READ_LAST,
    last_messages: rows.slice(-READ_LAST).map(shownMessage),
    hint: "Use around_message_id to read what is in between.",
  };
}

// --- discover -----------------------------------------------------------------------------------------------------

const RAW_HITS = 50;
const DISCOVER_WINDOW = 5;
const BOOKENDS = 3;
const ROLES = ["user", "assistant", "tool"];

async function discover(search: Search, query: string, args: Args): Promise<object> {
  const limit = clampedArgument(args, "limit", { least: 1, most: 10, otherwise: 3 });
  const { hits } = await search.reader.searchMessages(query, {
    asker: search.principal,
    roles: rolesOf(args),
    excludeSources: EXCLUDED_SOURCES,
    limit: RAW_HITS,
    ...sortOf(args),
  });
  const results: object[] = [];
  for (const hit of await onePerLineage(search, hits, limit)) {
    const found = await foundIn(search, hit);
    if (found) results.push(found);
  }
  return { success: true, mode: "discover", query, count: results.length, results };
}

function rolesOf(args: Args): string[] {
  const wanted = (textArgument(args, "role_filter") ?? "").split(",").map((role) => role.trim());
  const known = ROLES.filter((role) => wanted.includes(role));
  return known.length > 0 ? known : ["user", "assistant"];
}

function sortOf(args: Args): { sort?: "newest" | "oldest" } {
  const sort = textArgument(args, "sort");
  return sort === "newest" || sort === "oldest" ? { sort } : {};
}

/** The best hit per lineage, without the current conversation. */
async function onePerLineage(
  search: Search,
  hits: readonly SessionHit[],
  limit: number,
): Promise<SessionHit[]> {
  const roots = new Set([rootOf(await lineageOf(search, search.currentId), search.currentId)]);
  const best: SessionHit[] = [];
  for (const hit of hits) {
    if (best.length === limit) break;
    if (!(await mayRead(search, hit.session_id))) continue;
    const root = rootOf(await lineageOf(search, hit.session_id), hit.session_id);
    if (!roots.has(root)) best.push(hit);
    roots.add(root);
  }
  return best;
}

async function foundIn(search: Search, hit: SessionHit): Promise<object | undefined> {
  const session = await search.reader.getSession(hit.session_id);
  if (!session) return undefined;
  const rows = await search.reader.getMessages(hit.session_id);
  const spoken = rows.filter(isSpoken);
  const shown = rows.filter((row) => isSpoken(row) || row.id === hit.id);
  return {
    ...about(session),
    matched_role: hit.role,
    match_message_id: hit.id,
    snippet: hit.snippet,
    bookend_start: spoken.slice(0, BOOKENDS).map(shownMessage),
    ...around(shown, hit.id, DISCOVER_WINDOW),
    bookend_end: spoken.slice(-BOOKENDS).map(shownMessage),
  };
}

// --- browse -------------------------------------------------------------------------------------------------------

async function browse(search: Search, args: Args): Promise<object> {
  const limit = clampedArgument(args, "limit", { least: 1, most: 10, otherwise: 10 });
  const sessions = await search.reader.listSessions({
    asker: search.principal,
    order: "active",
    limit: limit + 1,
    excludeSources: EXCLUDED_SOURCES,
  });
  const results: object[] = [];
  for (const session of sessions) {
    if (session.id === search.currentId || results.length === limit) continue;
    if (await mayRead(search, session.id)) results.push(listed(session));
  }
  return { success: true, mode: "browse", count: results.length, results };
}

function listed(session: SessionSummary): object {
  const { message_count, preview } = session;
  return { ...about(session), last_active: isoTime(session.last_active), message_count, preview };
}

// --- who may see what ---------------------------------------------------------------------------------------------

/** Private sessions aren't shown in a room, even if their owner asks. */
async function mayRead({ reader, principal, shared }: Search, id: SessionId): Promise<boolean> {
  const session = await reader.getSession(id);
  if (session === undefined || (shared && session.user_id !== null)) return false;
  return reader.canSee(principal, id);
}

/** The same error for missing and foreign sessions. */
function notFound(id: SessionId): object {
  return mistake(`Session ${id} not found.`);
}

function mistake(error: string): object {
  return { success: false, error };
}

/** A failed search (a deadline, say) is reported to the agent; the turn continues. */
function unavailable(error: unknown): object {
  if (!(error instanceof HermesError) || error.code !== "unavailable") throw error;
  return mistake([error.message, error.hint].filter(Boolean).join(" "));
}

// --- small readers ------------------------------------------------------------------------------------------------

/** Root first. Only the session itself if it isn't stored yet. */
async function lineageOf({ reader }: Search, id: SessionId): Promise<SessionId[]> {
  if ((await reader.getSession(id)) === undefined) return [id];
  const { ancestors, session, descendants } = await reader.getLineage(id);
  return [...ancestors, session, ...descendants].map((node) => node.id);
}

function rootOf(lineage: readonly SessionId[], id: SessionId): SessionId {
  return lineage[0] ?? id;
}

function about(session: SessionRow): object {
  return {
    session_id: session.id,
    when: isoTime(session.started_at),
    source: session.source,
    model: session.model,
    title: session.title,
    ...(session.parent_session_id === null ? {} : { parent_session_id: session.parent_session_id }),
  };
}
