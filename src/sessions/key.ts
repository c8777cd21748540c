/**
 * Origin + isolation settings → session key. The strings are byte for byte Hermes' (vectors), so a home can be shared;
 * they are not injective, so a route also keeps the tuple that its key was made from.
 */
import { createHash } from "node:crypto";
import type { Origin } from "../message.js";
import type { SessionKey } from "../session.js";
import { canonicalId, type ReadAlias } from "./whatsapp-identity.js";

export interface Isolation {
  groupSessionsPerUser: boolean;
  threadSessionsPerUser: boolean;
}

export interface KeyOptions {
  readAlias?: ReadAlias;
}

/** What a key is made from. Everything that is said about a key is said from this one decision. */
interface KeyParts {
  platform: string;
  chatType: string;
  chat: string | null;
  thread: string | null;
  /** Set only where the session belongs to one person of the room, or where a DM has no chat id. */
  participant: string | null;
}

export function sessionKey(origin: Origin, isolation: Isolation, options: KeyOptions = {}): SessionKey {
  const { platform, chatType, chat, thread, participant } = keyParts(origin, isolation, options);
  // A DM without a chat id puts its person where the chat would be, before the thread.
  const ids = chatType === "dm" ? [chat ?? participant, thread] : [chat, thread, participant];
  return ["agent:main", platform, chatType, ...ids.filter((id) => id !== null)].join(":");
}

/** Do several people share this session? Read off the key's own parts, so the two can't disagree. */
export function isShared(origin: Origin, isolation: Isolation, options: KeyOptions = {}): boolean {
  return origin.chatType !== "dm" && keyParts(origin, isolation, options).participant === null;
}

/** The key's parts without the ambiguity of joining them: equal keys with different tuples are different sessions. */
export function originTuple(origin: Origin, isolation: Isolation, options: KeyOptions = {}): string {
  const { platform, chatType, chat, thread, participant } = keyParts(origin, isolation, options);
  return JSON.stringify([platform, chatType, chat, thread, participant]);
}

/** `takenTuple` is the tuple that the route under `key` was stored with, if there is such a route. */
export function guardedKey(key: SessionKey, tuple: string, takenTuple: string | undefined): SessionKey {
  if (takenTuple === undefined || takenTuple === tuple) return key;
  return `${key}~${createHash("sha256").update(tuple).digest("hex").slice(0, 8)}`;
}

function keyParts(origin: Origin, isolation: Isolation, options: KeyOptions): KeyParts {
  const { platform, chatType } = origin;
  const thread = present(origin.threadId);
  const isDm = chatType === "dm";
  const canonical = (id: string) => canonicalId(platform, id, options.readAlias);
  const chatId = present(origin.chatId);
  const chat = isDm && chatId !== null ? present(canonical(chatId)) : chatId;
  const person = present(origin.userIdAlt) ?? present(origin.userId);
  const named = isDm ? chat === null : isIsolated(thread, isolation);
  const participant = named && person !== null ? (present(canonical(person)) ?? person) : null;
  return { platform, chatType, chat, thread, participant };
}

function isIsolated(thread: string | null, isolation: Isolation): boolean {
  return isolation.groupSessionsPerUser && (thread === null || isolation.threadSessionsPerUser);
}

/** Empty and absent are the same everywhere in a key. */
function present(id: string | null | undefined): string | null {
  return id === undefined || id === "" ? null : id;
}

/** A source as Hermes writes it (`sessions.json`, the vectors, `hermes explain key -`). */
export type SourceRecord = Readonly<Record<string, unknown>>;

export function originFromSource(source: SourceRecord): Origin {
  const text = (name: string) => idText(source[name]);
  return {
    platform: (text("platform") ?? "").trim().toLowerCase(),
    chatType: text("chat_type") ?? "dm",
    chatId: text("chat_id"),
    chatName: text("chat_name"),
    threadId: text("thread_id"),
    userId: text("user_id"),
    userIdAlt: text("user_id_alt"),
    userName: text("user_name"),
    chatTopic: text("chat_topic"),
    chatIdAlt: text("chat_id_alt"),
    guildId: text("guild_id"),
    parentChatId: text("parent_chat_id"),
    messageId: text("message_id"),
  };
}

/** Isolation under Hermes' names; what is left out takes Hermes' default. */
export function isolationFromConfig(config: SourceRecord = {}): Isolation {
  return {
    groupSessionsPerUser: (config.group_sessions_per_user ?? true) === true,
    threadSessionsPerUser: (config.thread_sessions_per_user ?? false) === true,
  };
}

// Hand-written JSON often holds ids as numbers.
function idText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}
