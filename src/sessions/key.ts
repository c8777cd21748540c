/**
 * Origin + isolation settings → session key. The keys are identical to Hermes' (see the vectors), so a home can be
 * shared. Two origins can get the same key, so a route also stores the tuple its key was made from.
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

/** The parts of a key. */
interface KeyParts {
  platform: string;
  chatType: string;
  chat: string | null;
  thread: string | null;
  /** Set only if the session belongs to one person of a room, or if a DM has no chat id. */
  participant: string | null;
}

export function sessionKey(origin: Origin, isolation: Isolation, options: KeyOptions = {}): SessionKey {
  return keyFrom(keyParts(origin, isolation, options));
}

/** Whether several people share this session. Derived from the key's parts, to stay consistent with the key. */
export function isShared(origin: Origin, isolation: Isolation, options: KeyOptions = {}): boolean {
  return sharedBy(keyParts(origin, isolation, options));
}

/** The key's parts, unambiguously: equal keys with different tuples are different sessions. */
export function originTuple(origin: Origin, isolation: Isolation, options: KeyOptions = {}): string {
  return tupleFrom(keyParts(origin, isolation, options));
}

export interface Identity {
  key: SessionKey;
  tuple: string;
  shared: boolean;
}

/** Key, tuple and whether the session is shared. */
export function identityOf(origin: Origin, isolation: Isolation, options: KeyOptions = {}): Identity {
  const parts = keyParts(origin, isolation, options);
  return { key: keyFrom(parts), tuple: tupleFrom(parts), shared: sharedBy(parts) };
}

function keyFrom({ platform, chatType, chat, thread, participant }: KeyParts): SessionKey {
  // A DM without a chat id has its person in place of the chat, before the thread.
  const ids = chatType === "dm" ? [chat ?? participant, thread] : [chat, thread, participant];
  return ["agent:main", platform, chatType, ...ids.filter((id) => id !== null)].join(":");
}

function tupleFrom({ platform, chatType, chat, thread, participant }: KeyParts): string {
  return JSON.stringify([platform, chatType, chat, thread, participant]);
}

function sharedBy({ chatType, participant }: KeyParts): boolean {
  return chatType !== "dm" && participant === null;
}

/** The key that a message is stored with, and another one if a chat of a different origin has that already. */
export interface StoredKey {
  sessionKey: SessionKey;
  guard: { tuple: string; otherKey: SessionKey };
}

/** Keys don't contain the bot: one that belongs to an additional bot gets a suffix. */
export function storedKey({ key, tuple }: Identity, additionalBot: string | undefined): StoredKey {
  const sessionKey = additionalBot === undefined ? key : guardedKey(key, additionalBot, "");
  return { sessionKey, guard: { tuple, otherKey: guardedKey(sessionKey, tuple, "") } };
}

/** `takenTuple`: the tuple of the stored route with this key, if there is one. */
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

/** Treats empty as absent. */
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

/** Isolation settings with Hermes' names and defaults. */
export function isolationFromConfig(config: SourceRecord = {}): Isolation {
  return {
    groupSessionsPerUser: (config.group_sessions_per_user ?? true) === true,
    threadSessionsPerUser: (config.thread_sessions_per_user ?? false) === true,
  };
}

// Hand-written JSON often has numeric ids.
function idText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}
