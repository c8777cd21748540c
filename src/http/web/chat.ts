/** What the web chat's requests work with, and the conversation that a request is about. */
import type { Context } from "hono";
import type { Adapter } from "../../adapters/adapter.js";
import type { WebAdapter } from "../../adapters/web/index.js";
import type { ConversationRef, Live } from "../../adapters/web/live.js";
import { ACCOUNT, MAIN, PLATFORM } from "../../adapters/web/normalise.js";
import type { Config } from "../../config/schema.js";
import { HermesError } from "../../errors.js";
import type { Events } from "../../events.js";
import type { Gateway } from "../../gateway.js";
import type { Origin } from "../../message.js";
import { isolationOf } from "../../rules.js";
import type { SessionKey } from "../../session.js";
import { sessionKey } from "../../sessions/key.js";
import type { ChatLogEntry, ConversationRow, RouteRow } from "../../store/queues.js";
import type { Store } from "../../store/store.js";
import type { TraceId } from "../../trace-id.js";
import type { HttpLog } from "../log.js";
import type { Visitor } from "./visitor.js";

export interface WebChat {
  store: Store;
  config: Config;
  home: string;
  gateway: Pick<Gateway, "stopTurn" | "isBusy" | "withdraw" | "choose" | "choiceOf">;
  adapter: WebAdapter;
  events: Pick<Events, "watch">;
  log: HttpLog;
  /** If set, the operator's login also opens the dashboard. */
  ownerToken?: string | undefined;
}

export function isWebAdapter(adapter: Adapter): adapter is WebAdapter {
  return adapter.platform === PLATFORM && "live" in adapter;
}

/** A request's access to one conversation of one person. */
export interface ConversationScope {
  chat: WebChat;
  person: Visitor;
  id: string;
  key: SessionKey;
  origin: Origin;
  ref: ConversationRef;
  /** The caller's trace id, if it sent one. */
  traceId?: TraceId;
}

/** UUIDs, session ids, `main`. */
const ID = /^[\w.-]{1,100}$/;

export function scopeOf(chat: WebChat, person: Visitor, id: string): ConversationScope {
  if (!ID.test(id)) throw new HermesError("invalid", "This is not a conversation id");
  const origin: Origin = {
    ...{ platform: PLATFORM, chatType: "dm", chatId: person.id, userId: person.id },
    userName: person.name ?? "You",
    ...(id === MAIN ? {} : { threadId: id }),
  };
  const key = sessionKey(origin, isolationOf(chat.config));
  return { chat, person, id, key, origin, ref: { person: person.id, conversationId: id } };
}

/** The session key of the person's main chat. */
export function chatKey(chat: WebChat, person: Visitor): SessionKey {
  return scopeOf(chat, person, MAIN).key;
}

export function liveOf({ chat }: ConversationScope): Live {
  return chat.adapter.live;
}

export function messageRef({ person }: ConversationScope, clientId: string) {
  return { platform: PLATFORM, account: ACCOUNT, chatId: person.id, messageId: clientId };
}

/** The conversation's route, unless its session has moved to another conversation. */
export async function routeOf({ chat, key }: ConversationScope): Promise<RouteRow | undefined> {
  const route = await chat.store.getRoute(key);
  return route?.expiredReason === "session_switch" ? undefined : route;
}

/** The conversation's row in the list; undefined: it has no messages. */
export async function rowOf({ chat, person, id }: ConversationScope): Promise<ConversationRow | undefined> {
  const { conversations } = await chat.store.listConversations({
    ...{ person: { platform: PLATFORM, userId: person.id }, key: chatKey(chat, person) },
    ids: [id === MAIN ? "" : id],
  });
  return conversations[0];
}

export async function requireRow(scope: ConversationScope): Promise<ConversationRow> {
  const row = await rowOf(scope);
  if (!row) throw new HermesError("not_found", "There is no such conversation");
  return row;
}

const LOG_ENTRIES = 200;

/** The newest messages of the conversation that are in the queues, oldest first. */
export function logOf({ chat, person, origin }: ConversationScope): Promise<ChatLogEntry[]> {
  const thread = { chatId: person.id, threadId: origin.threadId ?? null };
  return chat.store.chatLog(PLATFORM, thread, LOG_ENTRIES);
}

export function param(c: Context, name: string): string {
  return c.req.param(name) ?? "";
}
