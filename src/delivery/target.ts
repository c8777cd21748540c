/**
 * Words for a chat → where a message goes: `telegram:-100123:7`, `slack:#ops`, `home`, `origin`, `local`. Pure: what is
 * known about chats and homes is given.
 */
import { HermesError } from "../errors.js";
import { formatTarget, type Target } from "../message.js";
import type { KnownChat } from "../store/queues.js";

/** What the words ask for; which chat that is, `resolveTarget` finds out. */
export type TargetWords =
  | { to: "local" }
  | { to: "origin" }
  /** The home channel of a platform, or of the first that has one. */
  | { to: "home"; platform: string | null }
  /** `rest` is all that stands after the platform: a chat's name may hold colons. */
  | { to: "chat"; platform: string; chat: string; thread: string | null; rest: string };

export interface Places {
  /** The platforms that are switched on, in their order. */
  platforms: readonly string[];
  /** Home channels by platform, as configured: a chat, or `chat:thread`. */
  homes: Readonly<Record<string, string>>;
  /** Chats that the platform's messages came from; those that match are enough. */
  chats: readonly KnownChat[];
  /** Whether a text is an id there: one that isn't must be the name of a chat that is known. */
  isChatId(platform: string, text: string): boolean;
  /** Where it was asked for. */
  origin?: Target;
}

const FORMS = "Write platform:chat, platform:chat:thread, or home.";

export function parseTarget(text: string): TargetWords {
  const words = text.trim();
  const colon = words.indexOf(":");
  const platform = (colon === -1 ? words : words.slice(0, colon)).trim().toLowerCase();
  const rest = colon === -1 ? "" : words.slice(colon + 1).trim();
  if (!/^[a-z][a-z0-9_-]*$/.test(platform)) throw invalid(`"${text}" names no platform and no chat.`);
  if (colon === -1) return parseWord(platform);
  if (rest === "") throw invalid(`"${text}" names no chat.`);
  if (rest.toLowerCase() === "home") return { to: "home", platform };
  const { chat, thread } = splitThread(rest);
  return { to: "chat", platform, chat, thread, rest };
}

function parseWord(word: string): TargetWords {
  if (word === "origin") return { to: "origin" };
  if (word === "local" || word === "none") return { to: "local" };
  return { to: "home", platform: word === "home" ? null : word };
}

export function splitThread(rest: string): { chat: string; thread: string | null } {
  const colon = rest.lastIndexOf(":");
  const thread = rest.slice(colon + 1).trim();
  return colon < 1 || thread === ""
    ? { chat: rest.replace(/:$/, ""), thread: null }
    : { chat: rest.slice(0, colon).trim(), thread };
}

/** Undefined: nowhere, the answer is only kept. */
export function resolveTarget(words: TargetWords, places: Places): Target | undefined {
  switch (words.to) {
    case "local":
      return undefined;
    case "origin":
      return fromOrigin(places);
    case "home":
      return toHome(words.platform, places);
    case "chat":
      return toChat(words, places);
  }
}

/** For lists and errors: `telegram:-100123 "Family"`. */
export function formatChat(chat: KnownChat): string {
  const name = nameOf(chat);
  return `${formatTarget(chat)}${name ? ` "${name}"` : ""}`;
}

function fromOrigin({ origin }: Places): Target {
  if (origin) return { ...origin, replyTo: null };
  throw invalid("There is no chat that this was asked from.", "Name one: platform:chat, or home.");
}

function toHome(platform: string | null, places: Places): Target {
  if (platform !== null) checkPlatform(platform, places);
  const found = platform ?? places.platforms.find((name) => places.homes[name] !== undefined);
  const home = found === undefined ? undefined : places.homes[found];
  if (found === undefined || home === undefined) {
    throw invalid(
      platform === null ? "No platform has a home channel." : `${platform} has no home channel.`,
      `Set platforms.${platform ?? "<name>"}.home_channel, or name a chat: platform:chat.`,
    );
  }
  return toChat({ platform: found, ...splitThread(home), rest: home }, { ...places, isChatId: () => true });
}

interface ChatWords {
  platform: string;
  chat: string;
  thread: string | null;
  rest: string;
}

function toChat(words: ChatWords, places: Places): Target {
  const { platform } = words;
  checkPlatform(platform, places);
  const chats = places.chats.filter((chat) => chat.platform === platform && chat.chatId !== null);
  // The whole first: names and ids may hold colons themselves.
  for (const { chat, thread } of [{ chat: words.rest, thread: null }, words]) {
    const byId = chats.filter((known) => known.chatId === chat);
    if (byId.length > 0) return targetFrom(byId, thread);
    const byName = oneOf(
      chats.filter((known) => isCalled(known, chat)),
      words,
    );
    if (byName.length > 0) return targetFrom(byName, thread);
  }
  const { chat, thread } = words;
  if (!places.isChatId(platform, chat)) throw unknownChat(words, chats);
  return { ...NOBODY, platform, account: "", chatType: "channel", chatId: chat, threadId: thread };
}

const NOBODY = { userId: null, replyTo: null };

/** The same chat may be known several times, by its threads: the thread that is asked for tells best. */
function targetFrom(chats: readonly KnownChat[], thread: string | null): Target {
  const { platform, account, chatType, chatId } = chats.find((chat) => chat.threadId === thread) ?? chats[0]!;
  return { ...NOBODY, platform, account, chatType, chatId, threadId: thread };
}

/** Without the sign that chats and people carry before their names. */
const bare = (name: string) => name.trim().replace(/^[#@]/, "").toLowerCase();

function isCalled(chat: KnownChat, name: string): boolean {
  const own = nameOf(chat);
  return own !== null && bare(own) === bare(name);
}

/** A direct message is called after its person. */
export function nameOf({ chatName, chatType, userName }: KnownChat): string | null {
  return chatName ?? (chatType === "dm" ? userName : null);
}

/** A name that two chats have is nobody's. */
function oneOf(found: readonly KnownChat[], { platform, rest }: ChatWords): readonly KnownChat[] {
  if (new Set(found.map(({ chatId }) => chatId)).size < 2) return found;
  throw invalid(`Several chats on ${platform} are called "${rest}".`, `Use the id: ${listed(found)}.`);
}

function checkPlatform(platform: string, { platforms }: Places): void {
  if (platforms.includes(platform)) return;
  const known = platforms.length === 0 ? "None is." : `These are: ${platforms.join(", ")}.`;
  throw new HermesError("not_found", `${platform} is no platform that is switched on.`, { hint: known });
}

function unknownChat({ platform, rest }: ChatWords, chats: readonly KnownChat[]): HermesError {
  const hint =
    chats.length === 0
      ? `No chat is known there yet; a chat's id works as well: ${platform}:<id>.`
      : `Known there: ${listed(chats)}.`;
  return new HermesError("not_found", `No chat on ${platform} is called "${rest}".`, { hint });
}

const LISTED = 8;

function listed(chats: readonly KnownChat[]): string {
  const seen = new Map(chats.map((chat) => [formatChat({ ...chat, threadId: null }), chat]));
  const shown = [...seen.keys()].slice(0, LISTED);
  return seen.size > LISTED ? `${shown.join(", ")}, and ${seen.size - LISTED} more` : shown.join(", ");
}

function invalid(message: string, hint = FORMS): HermesError {
  return new HermesError("invalid", message, { hint });
}
