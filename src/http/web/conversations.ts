/** Lists conversations, reads one with its messages, and changes it. */
import type {
  ChatMessage,
  Conversation,
  ConversationChange,
  ConversationPage,
  LiveTurn,
  OpenConversation,
} from "../../adapters/web/api.js";
import { MAIN, PLATFORM } from "../../adapters/web/normalise.js";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { ConversationRow } from "../../store/queues.js";
import type { ShownMessage, TranscriptPage } from "../../store/reports.js";
import { fromCursor, toCursor } from "../params.js";
import {
  type ConversationScope,
  chatKey,
  liveOf,
  logOf,
  requireRow,
  rowOf,
  scopeOf,
  type WebChat,
} from "./chat.js";
import { chooseFor } from "./choices.js";
import { extrasOf, sentFile } from "./extras.js";
import { forksOf, nodesOf } from "./forks.js";
import {
  fromLog,
  merged,
  noticesElsewhere,
  type SuspendedTurn,
  shownMessages,
  suspendedIn,
  userId,
} from "./history.js";
import { plainLine, shownTitle } from "./titles.js";
import type { Visitor } from "./visitor.js";

/** The kind of the records that mark conversations as pinned or archived. */
export const MARKS = "marks";

interface Marks {
  pinned: boolean;
  archived: boolean;
}

const NO_MARKS: Marks = { pinned: false, archived: false };
const PAGE_SIZE = 30;
const MAX_RESULTS = 30;
const MESSAGES = 50;
const MAX_MESSAGES = 400;
/** Longer than any send takes. */
const SETTLING_SECONDS = 60;

export interface ListQuery {
  q?: string | undefined;
  archived?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
}

export async function listConversations(
  chat: WebChat,
  person: Visitor,
  query: ListQuery,
): Promise<ConversationPage> {
  if (query.q !== undefined) return search(chat, person, query.q);
  const marks = await marksOf(chat, person);
  const idsWith = (mark: keyof Marks) => [...marks].flatMap(([id, one]) => (one[mark] ? [storeId(id)] : []));
  const list = listerOf(chat, person);
  const page = { before: fromCursor(query.cursor), limit: query.limit ?? PAGE_SIZE };
  const archived = idsWith("archived");
  const pinned = idsWith("pinned").filter((id) => !archived.includes(id));
  const { conversations, next } =
    query.archived === undefined
      ? await list({ ...page, except: [...archived, ...pinned] })
      : await list({ ...page, ids: archived });
  const isFirst = query.archived === undefined && query.cursor === undefined;
  const first =
    isFirst && pinned.length > 0 ? (await list({ ids: pinned, limit: pinned.length })).conversations : [];
  const shown = [...first, ...conversations].map((row) => toConversation(chat, person, row, marks));
  return { conversations: shown, cursor: toCursor(next) };
}

/** Searches what this person may see. Leaves out hits that aren't in one of their conversations. */
async function search(chat: WebChat, person: Visitor, q: string): Promise<ConversationPage> {
  const asker = { platform: PLATFORM, userId: person.id };
  const { hits, titles = [] } = await chat.store.searchMessages(q, {
    ...{ asker, sources: [PLATFORM], sort: "rank", limit: 100, roles: ["user", "assistant"] },
    titles: { containing: q, limit: MAX_RESULTS },
  });
  const sessionIds = [...new Set([...titles.map(({ id }) => id), ...hits.map((hit) => hit.session_id)])];
  if (sessionIds.length === 0) return { conversations: [], cursor: null };
  const marks = await marksOf(chat, person);
  const { conversations } = await listerOf(chat, person)({ holding: sessionIds, limit: 200 });
  const rank = (row: ConversationRow) =>
    Math.min(...row.sessions.map((id) => sessionIds.indexOf(id) + 1 || Infinity));
  const best = conversations.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_RESULTS);
  const shown = best.map((row) => {
    const hit = hits.find(({ session_id }) => row.sessions.includes(session_id));
    const snippet = hit ? { snippet: plainLine(hit.snippet.replace(/>>>|<<</g, ""), 200) } : {};
    return { ...toConversation(chat, person, row, marks), ...snippet };
  });
  return { conversations: shown, cursor: null };
}

function listerOf(chat: WebChat, person: Visitor) {
  const owner = { person: { platform: PLATFORM, userId: person.id }, key: chatKey(chat, person) };
  return ({
    before,
    ...query
  }: { before?: string | undefined } & Omit<
    Parameters<typeof chat.store.listConversations>[0],
    "person" | "key" | "before"
  >) => chat.store.listConversations({ ...owner, ...query, ...(before === undefined ? {} : { before }) });
}

/** In the store, the main chat has an empty id. */
function storeId(id: string): string {
  return id === MAIN ? "" : id;
}

async function marksOf(chat: WebChat, person: Visitor): Promise<Map<string, Marks>> {
  const rows = await chat.store.listRecords({ platform: PLATFORM, kind: MARKS, owner: person.id });
  return new Map(rows.map(({ place, value }) => [place ?? "", value as Marks]));
}

export function toConversation(
  chat: WebChat,
  person: Visitor,
  row: ConversationRow,
  marks: ReadonlyMap<string, Marks>,
): Conversation {
  const id = row.id ?? MAIN;
  return {
    id,
    title: shownTitle(row.title, row.preview),
    titled: row.title !== null,
    ...(marks.get(id) ?? NO_MARKS),
    lastActiveAt: row.lastActive,
    messageCount: row.messageCount,
    busy: chat.gateway.isBusy(scopeOf(chat, person, id).key),
  };
}

function emptyConversation(id: string): Conversation {
  const empty = { titled: false, messageCount: 0, busy: false };
  return { id, title: shownTitle(null, ""), ...empty, ...NO_MARKS, lastActiveAt: nowSeconds() };
}

export async function conversationAt(scope: ConversationScope): Promise<Conversation | null> {
  const row = await rowOf(scope);
  return row ? toConversation(scope.chat, scope.person, row, await marksOf(scope.chat, scope.person)) : null;
}

// ── one conversation ────────────────────────────────────────────────────────────────────────────────────────────

export async function openConversation(
  scope: ConversationScope,
  { before, limit = MESSAGES }: { before?: number | undefined; limit?: number | undefined },
): Promise<OpenConversation> {
  const { chat, person, id } = scope;
  const live = liveOf(scope);
  // Read first, so that everything that happens during the reads comes as an event.
  const eventCursor = live.cursor;
  const turn = before === undefined ? live.turnOf(scope.ref) : null;
  // Before the session: a turn that ends meanwhile leaves the queues for the session, and is in one of them or in both.
  const entries = before === undefined ? await logOf(scope) : [];
  const [row, extras, marks, route] = await Promise.all([
    rowOf(scope),
    extrasOf(scope),
    marksOf(chat, person),
    chat.store.getRoute(scope.key),
  ]);
  const chosen = chat.gateway.choiceOf(scope.key);
  const page = row ? await rowsOf(chat, row.sessionId, before, limit) : { messages: [], earlier: false };
  const stored = shownMessages(page.messages, extras);
  const known = new Set(page.messages.flatMap(({ platformMessageId }) => platformMessageId ?? []));
  // Entries older than the page belong to earlier pages.
  const since = page.earlier ? (page.messages[0]?.at ?? 0) : 0;
  const log = entries.filter((entry) => entry.at >= since);
  const sent = ({ id: outId, files }: (typeof log)[number]) =>
    files.filter((file) => "path" in file).map((file, i) => sentFile(file, Number(outId.slice(4)), i));
  const { messages, running, queued } = fromLog(log, known, extras, sent);
  const logged = new Set(messages.map((one) => one.id));
  const notices = before === undefined ? live.noticesAt(scope.ref, nowSeconds() - SETTLING_SECONDS) : [];
  const suspended = suspendedIn(
    log,
    notices.some(({ kind }) => kind === "question"),
  );
  const elsewhere = row && row.sessions.length > 1 ? noticesElsewhere(log, known) : new Set<string>();
  const unstored = [...messages, ...notices.filter((one) => !logged.has(one.id))];
  return {
    conversation: row ? toConversation(chat, person, row, marks) : null,
    messages: merged(
      stored,
      unstored.filter((one) => !elsewhere.has(one.id)),
      running,
    ),
    earlier: page.earlier,
    turn: turn ?? (suspended ? waitingTurn(id, suspended) : null),
    ...{ queued, eventCursor },
    forks: row ? await forksAt(chat, row, page.messages) : [],
    model: chosen.model ?? route?.model ?? null,
    agent: chosen.agent ?? route?.agent ?? null,
  };
}

/** A turn that waits for a decision isn't running, so it is rebuilt from the queues. */
function waitingTurn(conversationId: string, { turnId, clientIds, at }: SuspendedTurn): LiveTurn {
  const elapsed = Math.max(0, nowSeconds() - at);
  return { conversationId, turnId, clientIds, startedAt: at, elapsed, text: "", tools: [], waiting: true };
}

/** Starts with a person's message, so that no turn is split between pages. */
async function rowsOf(
  { store }: WebChat,
  sessionId: string,
  before: number | undefined,
  limit: number,
): Promise<Pick<TranscriptPage, "messages" | "earlier">> {
  const read = (from: number | undefined) =>
    store.reports.readTranscript(sessionId, {
      limit,
      whole: true,
      ...(from === undefined ? {} : { before: from }),
    });
  let { messages, earlier } = await read(before);
  while (earlier && messages[0]?.role !== "user" && messages.length < MAX_MESSAGES) {
    const more = await read(messages[0]!.id);
    messages = [...more.messages, ...messages];
    earlier = more.earlier;
  }
  return { messages, earlier };
}

async function forksAt(
  { store }: WebChat,
  { sessionId, sessions }: ConversationRow,
  shown: readonly ShownMessage[],
) {
  if (sessions.length < 2) return [];
  const lineage = await store.getLineage(sessionId);
  const nodes = nodesOf(await store.getLineage(lineage.ancestors[0]?.id ?? sessionId));
  const rows = await store.getMessages(sessionId);
  const ids = new Map(shown.map((row) => [row.id, userId(row)]));
  return forksOf(
    nodes,
    sessionId,
    rows.map(({ id }) => ids.get(id) ?? `m:${id}`),
  );
}

const ALL_MESSAGES = 200;
const MAX_ALL = 20_000;

/** All messages of the shown branch, oldest first. */
export async function allMessages(scope: ConversationScope): Promise<ChatMessage[]> {
  let { messages, earlier } = await openConversation(scope, { limit: ALL_MESSAGES });
  while (earlier && messages.length < MAX_ALL) {
    const before = messages.find(({ position }) => position > 0)?.position;
    if (before === undefined) break;
    const page = await openConversation(scope, { before, limit: ALL_MESSAGES });
    messages = [...page.messages, ...messages];
    earlier = page.earlier;
  }
  return messages;
}

// ── changes ─────────────────────────────────────────────────────────────────────────────────────────────────────

export async function changeConversation(
  scope: ConversationScope,
  change: ConversationChange,
): Promise<Conversation> {
  const { chat, person, id } = scope;
  const { title, pinned, archived, model, agent } = change;
  const isChoiceOnly = title === undefined && pinned === undefined && archived === undefined;
  const row = isChoiceOnly ? await rowOf(scope) : await requireRow(scope);
  await chooseFor(scope, { model, agent });
  // It has no messages yet.
  if (!row) return emptyConversation(id);
  if (title !== undefined) {
    if (title.trim() === "") throw new HermesError("invalid", "The title is empty");
    await chat.store.setTitle(row.sessionId, title, "numbered");
  }
  if (pinned !== undefined || archived !== undefined) {
    const current = (await marksOf(chat, person)).get(id) ?? NO_MARKS;
    const value = { pinned: pinned ?? current.pinned, archived: archived ?? current.archived };
    const record = { platform: PLATFORM, kind: MARKS, owner: person.id, place: id };
    await chat.store.saveRecord({ ...record, id: `${person.id}/${id}`, value });
  }
  const conversation = (await conversationAt(scope))!;
  liveOf(scope).publish(person.id, { type: "conversation", conversation });
  return conversation;
}
