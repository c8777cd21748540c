/** Access control: origin + lists → allow, with the rule that matched, or refuse, with the reason. Denies by default. */

import type { ChatType, Origin } from "../message.js";
import { isWebOwner } from "./web-person.js";

/** Ids are stable ids, never display names; `*` matches everyone. */
export interface AccessLists {
  /** `platform:userId`, because the same id can be another person on another platform. */
  owners: readonly string[];
  /** Allows everyone, unless an allowlist is set. */
  allowAll: boolean;
  /** User ids, with or without the platform: `userId` or `platform:userId`. */
  allowFrom: readonly string[];
  /** The lists of the origin's platform. */
  platform: PlatformAccess;
}

export interface PlatformAccess {
  allowAll: boolean;
  allowBots: boolean;
  allowFrom: readonly string[];
  /** Users allowed in rooms, in addition to `allowFrom`. */
  groupAllowFrom: readonly string[];
  /** Rooms open to everyone, including users without an id. */
  groupAllowedChats: readonly string[];
  /** Roles whose members are allowed where they have the role. */
  allowedRoles: readonly string[];
  /** `open` and `disabled` override the lists; the other values decide how strangers are handled. */
  dmPolicy: "open" | "allowlist" | "pairing" | "disabled" | null;
  groupPolicy: "open" | "allowlist" | "disabled" | null;
}

export interface AccessQuestion {
  origin: Origin;
  isBot: boolean;
  /** The pairing store knows this user. */
  paired: boolean;
  /** The adapter verified the sender (a secret, a signature, the local terminal). */
  authenticated: boolean;
  /** Other stable ids of the same person. */
  aliases?: readonly string[];
  /** The sender's roles, as reported by the platform. */
  roles?: readonly string[] | undefined;
  lists: AccessLists;
}

export type AllowedBecause =
  | "authenticated"
  | "bots_allowed"
  | "group_chat"
  | "group_policy_open"
  | "dm_policy_open"
  | "role"
  | "owner"
  | "platform_allow_all"
  | "paired"
  | "allow_from"
  | "group_allow_from"
  | "global_allow_from"
  | "global_allow_all";

export type RefusedReason = "bot" | "no_user_id" | "not_listed" | "dm_disabled" | "groups_disabled";

export type AccessDecision =
  | { allow: true; because: AllowedBecause }
  | { allow: false; reason: RefusedReason };

export function accessDecision(question: AccessQuestion): AccessDecision {
  const { origin, isBot, authenticated, lists } = question;
  if (authenticated) return allow("authenticated");
  // Checked before the lists: two bots that answer each other never stop.
  if (isBot) return lists.platform.allowBots ? allow("bots_allowed") : refuse("bot");
  const closed = closedBy(origin, lists.platform);
  if (closed) return refuse(closed);
  if (isRoom(origin.chatType) && lists.platform.groupPolicy === "open") return allow("group_policy_open");
  const chatIds = idForms([origin.chatId, origin.chatIdAlt]);
  if (isRoom(origin.chatType) && matchesAny(lists.platform.groupAllowedChats, chatIds))
    return allow("group_chat");
  const ids = idForms([origin.userId, origin.userIdAlt, ...(question.aliases ?? [])]);
  if (ids.length === 0) return refuse("no_user_id");
  const because = rulesFor(question, ids).find(([, holds]) => holds)?.[0];
  return because === undefined ? refuse("not_listed") : allow(because);
}

function closedBy(
  { chatType }: Origin,
  { dmPolicy, groupPolicy }: PlatformAccess,
): RefusedReason | undefined {
  if (isRoom(chatType)) return groupPolicy === "disabled" ? "groups_disabled" : undefined;
  return dmPolicy === "disabled" ? "dm_disabled" : undefined;
}

function rulesFor(question: AccessQuestion, ids: string[]): [AllowedBecause, boolean][] {
  const { origin, paired, lists, roles = [] } = question;
  const { platform } = lists;
  return [
    ["owner", isOwner(origin, lists.owners)],
    ["platform_allow_all", platform.allowAll],
    ["dm_policy_open", !isRoom(origin.chatType) && platform.dmPolicy === "open"],
    ["role", platform.allowedRoles.some((role) => roles.includes(role))],
    ["paired", paired],
    ["allow_from", matchesAny(platform.allowFrom, ids)],
    ["group_allow_from", isRoom(origin.chatType) && matchesAny(platform.groupAllowFrom, ids)],
    ["global_allow_from", matchesAny(lists.allowFrom, [...ids, ...qualified(origin.platform, ids)])],
    // An allowlist takes precedence over a global "allow all".
    ["global_allow_all", lists.allowAll && !anyAllowlistSet(lists)],
  ];
}

export function anyAllowlistSet(lists: AccessLists): boolean {
  const { allowFrom, groupAllowFrom, groupAllowedChats, allowedRoles } = lists.platform;
  const all = [lists.allowFrom, allowFrom, groupAllowFrom, groupAllowedChats, allowedRoles];
  return all.some((list) => list.length > 0);
}

/** Owners see every session, so only exact ids match: no `*`, no shortened form. */
export function isOwner(
  origin: Pick<Origin, "platform" | "userId" | "userIdAlt">,
  owners: readonly string[],
): boolean {
  const ids = [origin.userId, origin.userIdAlt];
  return isWebOwner(origin, owners) || ids.some((id) => !!id && owners.includes(`${origin.platform}:${id}`));
}

/** How to handle a refused message: a stranger in a DM may get a pairing code; refusals in rooms are silent. */
export function unauthorizedResponse(refusal: {
  chatType: ChatType;
  /** The platform's setting, else the global one; undefined if neither is set. */
  dmBehaviour: "pair" | "ignore" | undefined;
  anyAllowlistSet: boolean;
}): "pair" | "ignore" {
  if (isRoom(refusal.chatType)) return "ignore";
  return refusal.dmBehaviour ?? (refusal.anyAllowlistSet ? "ignore" : "pair");
}

function isRoom(chatType: ChatType): boolean {
  return chatType !== "dm";
}

/** WhatsApp servers. In other ids, such as email addresses, the part after the @ matters. */
const JID = /^(\d+)@(?:s\.whatsapp\.net|lid|g\.us|c\.us)$/;

/** Each id; WhatsApp ids also without their server, which Hermes' lists often omit. */
function idForms(ids: readonly (string | null | undefined)[]): string[] {
  return ids.flatMap((id) => (id ? [id, ...(JID.exec(id)?.slice(1) ?? [])] : []));
}

function qualified(platform: string, ids: readonly string[]): string[] {
  return ids.map((id) => `${platform}:${id}`);
}

function matchesAny(list: readonly string[], ids: readonly string[]): boolean {
  return ids.length > 0 && list.some((entry) => entry === "*" || ids.includes(entry));
}

function allow(because: AllowedBecause): AccessDecision {
  return { allow: true, because };
}

function refuse(reason: RefusedReason): AccessDecision {
  return { allow: false, reason };
}
