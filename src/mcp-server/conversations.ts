/** Chats and their messages, in Hermes' format. */
import { formatTarget } from "../message.js";
import type { SessionKey } from "../session.js";
import { allRoutes } from "../store/all-routes.js";
import type { RouteRow } from "../store/queues.js";
import type { ShownMessage } from "../store/reports.js";
import type { Store } from "../store/store.js";
import { startOf } from "../text-limits.js";
import { CallerMistake } from "./service.js";

const MAX_CONTENT = 2000;
const PAGE = 200;
const MAX_PAGES = 20;
const MAX_PART_CHARS = 1_000_000;
const MAX_CHANNELS = 200;

export interface ListArgs {
  platform?: string | undefined;
  search?: string | undefined;
  limit: number;
}

export async function listConversations(store: Store, { platform, search, limit }: ListArgs) {
  const words = search?.toLowerCase();
  const routes = (await allRoutes(store))
    .filter(({ origin }) => platform === undefined || origin.platform === platform)
    .map(summaryOf)
    .filter((summary) => words === undefined || isAbout(summary, words))
    .toSorted((a, b) => b.updated_at - a.updated_at);
  const conversations = routes.slice(0, limit);
  return { count: conversations.length, conversations };
}

function isAbout({ session_key, display_name, chat_name, user_name }: Summary, words: string): boolean {
  return [session_key, display_name, chat_name, user_name].some((text) =>
    text?.toLowerCase().includes(words),
  );
}

type Summary = ReturnType<typeof summaryOf>;

function summaryOf({ sessionKey, sessionId, origin, updatedAt }: RouteRow) {
  const { platform, chatType, chatId, chatName = null, userName = null } = origin;
  return {
    session_key: sessionKey,
    session_id: sessionId,
    platform,
    chat_type: chatType,
    display_name: chatName ?? userName ?? chatId,
    chat_name: chatName,
    user_name: userName,
    updated_at: updatedAt,
  };
}

export async function getConversation(store: Store, key: SessionKey) {
  const route = await routeOf(store, key);
  const session = await store.getSession(route.sessionId);
  const { input_tokens = 0, output_tokens = 0 } = session ?? {};
  return {
    ...summaryOf(route),
    title: session?.title ?? null,
    chat_id: route.origin.chatId,
    thread_id: route.origin.threadId ?? null,
    created_at: route.createdAt,
    ...{ input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
  };
}

/** The newest ones of people and the agent, oldest first. */
export async function readMessages(store: Store, key: SessionKey, limit: number) {
  const { sessionId } = await routeOf(store, key);
  const found: ShownMessage[] = [];
  let before: number | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < limit; page++) {
    const query = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const { messages, earlier } = await store.reports.readTranscript(sessionId, query);
    found.unshift(...messages.filter(isSaid));
    before = messages[0]?.id;
    if (!earlier || before === undefined) break;
  }
  const messages = found.slice(-limit).map(({ id, role, text, at }) => ({
    ...{ id, role, content: startOf(text, MAX_CONTENT), timestamp: at },
  }));
  const total = (await store.getSession(sessionId))?.message_count ?? messages.length;
  return { session_key: key, count: messages.length, total_in_session: total, messages };
}

function isSaid({ role, text, undone }: ShownMessage): boolean {
  return (role === "user" || role === "assistant") && text !== "" && !undone;
}

/** Parts that aren't text, and files that the text mentions as they were stored. */
export async function fetchAttachments(store: Store, key: SessionKey, messageId: number) {
  const { sessionId } = await routeOf(store, key);
  const [message] = await store.getMessages(sessionId, { ids: [messageId], includeUndone: true });
  if (!message) throw new CallerMistake(`There is no message ${messageId} in ${key}.`);
  const parts = Array.isArray(message.content) ? message.content : [message.content];
  const attachments = parts.flatMap((part) => (typeof part === "string" ? mentioned(part) : attached(part)));
  return { session_key: key, message_id: messageId, count: attachments.length, attachments };
}

function attached(part: unknown): object[] {
  if (typeof part !== "object" || part === null) return [];
  const { type, text } = part as { type?: unknown; text?: unknown };
  if (type === "text") return typeof text === "string" ? mentioned(text) : [];
  return JSON.stringify(part).length <= MAX_PART_CHARS ? [part] : [{ type, problem: "too large" }];
}

/** `[photo: cat.jpg, image/jpeg, 12 kB, at /path]`, its own line. */
function mentioned(text: string): object[] {
  return text.split("\n").flatMap((line) => {
    const colon = line.indexOf(": ");
    const type = line.slice(1, colon);
    if (!line.startsWith("[") || !line.endsWith("]") || !/^[a-z]{1,20}$/.test(type)) return [];
    const description = line.slice(colon + 2, -1);
    const at = description.lastIndexOf(", at ");
    return [{ type, description, ...(at === -1 ? {} : { path: description.slice(at + 5) }) }];
  });
}

export async function listChannels(store: Store, platform: string | undefined) {
  const chats = await store.knownChats({ limit: MAX_CHANNELS, ...(platform ? { platform } : {}) });
  const channels = chats.map((chat) => ({
    target: formatTarget(chat),
    platform: chat.platform,
    name: chat.chatName ?? chat.userName,
    type: chat.chatType,
  }));
  return { count: channels.length, channels };
}

async function routeOf(store: Store, key: SessionKey): Promise<RouteRow> {
  const route = await store.getRoute(key);
  if (!route) throw new CallerMistake(`There is no conversation ${key}.`);
  return route;
}
