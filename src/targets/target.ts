/**
 * Parses and resolves targets: `telegram:-100123:7`, `slack:#ops`, `home`, `origin`, `local`. Pure: known chats and
 * homes are arguments.
 */
import { HermesError } from "../errors.js";
import { formatTarget, type Target } from "../message.js";
import type { KnownChat } from "../store/queues.js";

/** A parsed target. `resolveTarget` finds the chat. */
export type ParsedTarget =
  | { to: "local" }
  | { to: "origin" }
  /** The home channel of a platform, or of the first platform with one. */
  | { to: "home"; platform: string | null }
  /** `rest`: everything after the platform. A chat's name may contain colons. */
  | { to: "chat"; platform: string; chat: string; thread: string | null; rest: string };

export interface KnownTargets {
  /** The enabled platforms, in order. */
  platforms: readonly string[];
  /** Configured home channels by platform: `chat` or `chat:thread`. */
  homes: Readonly<Record<string, string>>;
  /** Known chats. Matching ones are enough. */
  chats: readonly KnownChat[];
  /** Whether the text has the form of a chat id. If not, it must be the name of a known chat. */
  isChatId(platform: string, text: string): boolean;
  /** The chat of the request. */
  origin?: Target;
}

const FORMS = "Use platform:chat, platform:chat:thread, or home.";

export function parseTarget(text: string): ParsedTarget {
  const parsed = text.trim();
  const colon = parsed.indexOf(":");
  const platform = (colon === -1 ? parsed : parsed.slice(0, colon)).trim().toLowerCase();
  const rest = colon === -1 ? "" : parsed.slice(colon + 1).trim();
  if (!/^[a-z][a-z0-9_-]*$/.test(platform)) throw invalid(`Invalid target "${text}".`);
  if (colon === -1) return parseKeyword(platform);
  if (rest === "") throw invalid(`The target "${text}" has no chat.`);
  if (rest.toLowerCase() === "home") return { to: "home", platform };
  const { chat, thread } = splitThread(rest);
  return { to: "chat", platform, chat, thread, rest };
}

function parseKeyword(keyword: string): ParsedTarget {
  if (keyword === "origin") return { to: "origin" };
  if (keyword === "local" || keyword === "none") return { to: "local" };
  return { to: "home", platform: keyword === "home" ? null : keyword };
}

export function splitThread(rest: string): { chat: string; thread: string | null } {
  const colon = rest.lastIndexOf(":");
  const thread = rest.slice(colon + 1).trim();
  return colon < 1 || thread === ""
    ? { chat: rest.replace(/:$/, ""), thread: null }
    : { chat: rest.slice(0, colon).trim(), thread };
}

/** Undefined for `local`: the answer is stored but not delivered. */
export function resolveTarget(parsed: ParsedTarget, targets: KnownTargets): Target | undefined {
  switch (parsed.to) {
    case "local":
      return undefined;
    case "origin":
      return fromOrigin(targets);
    case "home":
      return toHome(parsed.platform, targets);
    case "chat":
      return toChat(parsed, targets);
  }
}

/** For lists and errors: `telegram:-100123 "Family"`. */
export function formatChat(chat: KnownChat): string {
  const name = nameOf(chat);
  return `${formatTarget(chat)}${name ? ` "${name}"` : ""}`;
}

function fromOrigin({ origin }: KnownTargets): Target {
  if (origin) return { ...origin, replyTo: null };
  throw invalid("This request has no chat of origin.", "Use platform:chat, or home.");
}

function toHome(platform: string | null, targets: KnownTargets): Target {
  if (platform !== null) checkPlatform(platform, targets);
  const found = platform ?? targets.platforms.find((name) => targets.homes[name] !== undefined);
  const home = found === undefined ? undefined : targets.homes[found];
  if (found === undefined || home === undefined) {
    throw invalid(
      platform === null ? "No platform has a home channel." : `${platform} has no home channel.`,
      `Set platforms.${platform ?? "<name>"}.home_channel, or use platform:chat.`,
    );
  }
  return toChat({ platform: found, ...splitThread(home), rest: home }, { ...targets, isChatId: () => true });
}

interface ParsedChat {
  platform: string;
  chat: string;
  thread: string | null;
  rest: string;
}

function toChat(parsed: ParsedChat, targets: KnownTargets): Target {
  const { platform } = parsed;
  checkPlatform(platform, targets);
  const chats = targets.chats.filter((chat) => chat.platform === platform && chat.chatId !== null);
  // Try the whole text first: names and ids may contain colons.
  for (const { chat, thread } of [{ chat: parsed.rest, thread: null }, parsed]) {
    const byId = chats.filter((known) => known.chatId === chat);
    if (byId.length > 0) return targetFrom(byId, thread);
    const byName = oneOf(
      chats.filter((known) => hasName(known, chat)),
      parsed,
    );
    if (byName.length > 0) return targetFrom(byName, thread);
  }
  const { chat, thread } = parsed;
  if (!targets.isChatId(platform, chat)) throw unknownChat(parsed, chats);
  return { ...NO_PERSON, platform, account: "", chatType: "channel", chatId: chat, threadId: thread };
}

const NO_PERSON = { userId: null, replyTo: null };

/** A chat may be known several times, once per thread; prefers the entry of the requested thread. */
function targetFrom(chats: readonly KnownChat[], thread: string | null): Target {
  const { platform, account, chatType, chatId } = chats.find((chat) => chat.threadId === thread) ?? chats[0]!;
  return { ...NO_PERSON, platform, account, chatType, chatId, threadId: thread };
}

/** Without the # or @ before names. */
const bare = (name: string) => name.trim().replace(/^[#@]/, "").toLowerCase();

function hasName(chat: KnownChat, name: string): boolean {
  const own = nameOf(chat);
  return own !== null && bare(own) === bare(name);
}

/** A direct message has its person's name. */
export function nameOf({ chatName, chatType, userName }: KnownChat): string | null {
  return chatName ?? (chatType === "dm" ? userName : null);
}

/** Throws if several chats have the name. */
function oneOf(found: readonly KnownChat[], { platform, rest }: ParsedChat): readonly KnownChat[] {
  if (new Set(found.map(({ chatId }) => chatId)).size < 2) return found;
  throw invalid(`Several chats on ${platform} are named "${rest}".`, `Use the id: ${listed(found)}.`);
}

function checkPlatform(platform: string, { platforms }: KnownTargets): void {
  if (platforms.includes(platform)) return;
  const known = platforms.length === 0 ? "No platform is." : `Enabled: ${platforms.join(", ")}.`;
  throw new HermesError("not_found", `The platform ${platform} isn't enabled.`, { hint: known });
}

function unknownChat({ platform, rest }: ParsedChat, chats: readonly KnownChat[]): HermesError {
  const hint =
    chats.length === 0
      ? `No chats are known there yet. Use a chat id: ${platform}:<id>.`
      : `Known chats: ${listed(chats)}.`;
  return new HermesError("not_found", `No chat named "${rest}" on ${platform}.`, { hint });
}

const MAX_LISTED = 8;

function listed(chats: readonly KnownChat[]): string {
  const seen = new Map(chats.map((chat) => [formatChat({ ...chat, threadId: null }), chat]));
  const shown = [...seen.keys()].slice(0, MAX_LISTED);
  return seen.size > MAX_LISTED
    ? `${shown.join(", ")}, and ${seen.size - MAX_LISTED} more`
    : shown.join(", ");
}

function invalid(message: string, hint = FORMS): HermesError {
  return new HermesError("invalid", message, { hint });
}
