/** Who may talk: origin + lists → allow with the rule that allowed it, or refuse with the reason. Deny by default. */
import type { ChatType, Origin } from "../message.js";

/** Ids are stable ids, never display names; `*` stands for everybody. */
export interface AccessLists {
  /** `platform:userId`: an id alone could belong to somebody else on another platform. */
  owners: readonly string[];
  /** Open to everybody, unless a list says who. */
  allowAll: boolean;
  /** User ids, bare or as `platform:userId`. */
  allowFrom: readonly string[];
  /** The lists of the origin's platform. */
  platform: PlatformAccess;
}

export interface PlatformAccess {
  allowAll: boolean;
  allowBots: boolean;
  allowFrom: readonly string[];
  /** Users who may talk in rooms, beyond `allowFrom`. */
  groupAllowFrom: readonly string[];
  /** Rooms in which everybody may talk, even those whom the platform doesn't name. */
  groupAllowedChats: readonly string[];
  /** Roles whose members may talk where they have them. */
  allowedRoles: readonly string[];
  /** Over the lists: everybody, or nobody at all. The rest of it says what becomes of strangers. */
  dmPolicy: "open" | "allowlist" | "pairing" | "disabled" | null;
  groupPolicy: "open" | "allowlist" | "disabled" | null;
}

export interface AccessQuestion {
  origin: Origin;
  isBot: boolean;
  /** The pairing store knows this user. */
  paired: boolean;
  /** The adapter has proved who is asking (a secret, a signature, the local terminal). */
  authenticated: boolean;
  /** Further stable ids of the same person. */
  aliases?: readonly string[];
  /** Of the asker, as the platform itself says. */
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
  // Before every list: two bots that answer each other never stop, whoever else may talk.
  if (isBot) return lists.platform.allowBots ? allow("bots_allowed") : refuse("bot");
  const closed = closedBy(origin, lists.platform);
  if (closed) return refuse(closed);
  if (isRoom(origin.chatType) && lists.platform.groupPolicy === "open") return allow("group_policy_open");
  if (isRoom(origin.chatType) && names(lists.platform.groupAllowedChats, idForms([origin.chatId]))) {
    return allow("group_chat");
  }
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
    ["allow_from", names(platform.allowFrom, ids)],
    ["group_allow_from", isRoom(origin.chatType) && names(platform.groupAllowFrom, ids)],
    ["global_allow_from", names(lists.allowFrom, [...ids, ...qualified(origin.platform, ids)])],
    // Whoever wrote a list meant it: the open door counts only where there is none.
    ["global_allow_all", lists.allowAll && !anyAllowlistSet(lists)],
  ];
}

export function anyAllowlistSet(lists: AccessLists): boolean {
  const { allowFrom, groupAllowFrom, groupAllowedChats, allowedRoles } = lists.platform;
  const all = [lists.allowFrom, allowFrom, groupAllowFrom, groupAllowedChats, allowedRoles];
  return all.some((list) => list.length > 0);
}

/** Owners see every session, so only the exact id counts: no `*`, no shortened form. */
export function isOwner(
  origin: Pick<Origin, "platform" | "userId" | "userIdAlt">,
  owners: readonly string[],
): boolean {
  return [origin.userId, origin.userIdAlt].some((id) => !!id && owners.includes(`${origin.platform}:${id}`));
}

/** What becomes of a refused message: a stranger in a DM may get a pairing code; rooms never hear about it. */
export function unauthorizedResponse(refusal: {
  chatType: ChatType;
  /** The configured behaviour of this platform, else of all; undefined when nobody chose. */
  dmBehaviour: "pair" | "ignore" | undefined;
  anyAllowlistSet: boolean;
}): "pair" | "ignore" {
  if (isRoom(refusal.chatType)) return "ignore";
  return refusal.dmBehaviour ?? (refusal.anyAllowlistSet ? "ignore" : "pair");
}

function isRoom(chatType: ChatType): boolean {
  return chatType !== "dm";
}

/** Each id as it is and without its `@server` part, as Hermes' lists are often written. */
function idForms(ids: readonly (string | null | undefined)[]): string[] {
  return ids.flatMap((id) => (id ? [id, id.split("@", 1)[0]!] : [])).filter((id) => id !== "");
}

function qualified(platform: string, ids: readonly string[]): string[] {
  return ids.map((id) => `${platform}:${id}`);
}

function names(list: readonly string[], ids: readonly string[]): boolean {
  return ids.length > 0 && list.some((entry) => entry === "*" || ids.includes(entry));
}

function allow(because: AllowedBecause): AccessDecision {
  return { allow: true, because };
}

function refuse(reason: RefusedReason): AccessDecision {
  return { allow: false, reason };
}
