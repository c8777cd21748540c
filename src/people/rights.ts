/** Whether a person may talk to the bot and use tools, and why. Pure. */
import { platformsOf } from "../config/known-platforms.js";
import type { Config } from "../config/schema.js";
import type { Origin, Person, Principal } from "../message.js";
import {
  type AccessDecision,
  type AllowedBecause,
  accessDecision,
  isOwner,
  type RefusedReason,
} from "../policies/access.js";
import { accessListsOf } from "../rules.js";
import type { ExplainedTool } from "../tools/registry.js";
import { formatPerson } from "./person.js";
import type { Role, ToolFacts } from "./types.js";

export type AccessRule = AllowedBecause | RefusedReason;

export const ACCESS_RULES: Readonly<Record<AccessRule, string>> = {
  authenticated: "the adapter authenticated the sender",
  bots_allowed: "bots may talk here",
  group_chat: "everyone may talk in this room",
  group_policy_open: "group_policy of the platform is open",
  dm_policy_open: "dm_policy of the platform is open",
  role: "they have a role in allowed_roles",
  owner: "they are among the owners",
  platform_allow_all: "allow_all of the platform is on",
  paired: "they were paired",
  allow_from: "the platform's allow_from names them",
  group_allow_from: "the platform's group_allow_from names them",
  global_allow_from: "allow_from names them",
  global_allow_all: "allow_all is on, and no allowlist is set",
  bot: "bots are not answered",
  dm_disabled: "dm_policy of the platform is disabled",
  groups_disabled: "group_policy of the platform is disabled",
  no_user_id: "the platform doesn't identify the sender",
  not_listed: "no list names them, and they are not paired",
};

/** A person in a chat. */
export interface PersonIn {
  principal: Principal;
  /** Null: a direct chat. */
  chatId: string | null;
}

/** `room`: `platform:chat` or the chat alone; `dm`: a direct chat. */
export function personIn(person: Person, room: string, { owners }: Pick<Config, "owners">): PersonIn {
  const { platform, userId } = person;
  const chatId = room.startsWith(`${platform}:`) ? room.slice(platform.length + 1) : room;
  return {
    principal: { platform, userId, owner: isOwner(person, owners) },
    chatId: room === "dm" ? null : chatId,
  };
}

/** Whether the person may talk to the bot in the chat. */
export function talkAccess({ principal, chatId }: PersonIn, config: Config, paired: boolean): AccessDecision {
  const { platform, userId } = principal;
  const origin: Origin = { platform, chatType: chatId === null ? "dm" : "group", chatId, userId };
  const facts = { isBot: false, authenticated: false, paired };
  return accessDecision({ origin, ...facts, lists: accessListsOf(config, platform) });
}

export const NO_TALK = "they may not talk to the bot";

/** The person's tools in the chat, for the command line and the dashboard. */
export function toolFacts(
  { principal, chatId }: PersonIn,
  access: AccessDecision,
  tools: readonly ExplainedTool[],
): ToolFacts {
  return {
    person: formatPerson(principal),
    room: chatId === null ? null : `${principal.platform}:${chatId}`,
    owner: principal.owner ?? false,
    may_talk: access.allow,
    tools: tools.map(({ tool, offered, ask, reason }) => ({
      name: tool.name,
      toolset: tool.toolset,
      effect: tool.effect,
      offered: access.allow && offered,
      ask,
      because: access.allow ? reason : NO_TALK,
    })),
  };
}

/** Returns people's roles in direct chats. Platforms that aren't chat services authenticate their senders. */
export function roles(config: Config): (person: Person, pairing: "approved" | "pending" | null) => Role {
  const chats = new Set(platformsOf(config).flatMap(({ name, setup }) => (setup ? [name] : [])));
  return (person, pairing) => {
    const inDm = personIn(person, "dm", config);
    if (inDm.principal.owner) return { kind: "owner", because: ACCESS_RULES.owner };
    if (!chats.has(person.platform)) return { kind: "allowed", because: ACCESS_RULES.authenticated };
    const access = talkAccess(inDm, config, pairing === "approved");
    if (!access.allow)
      return { kind: pairing === "pending" ? "waiting" : "stranger", because: ACCESS_RULES[access.reason] };
    const { because } = access;
    return { kind: because === "paired" ? "paired" : "allowed", because: ACCESS_RULES[because] };
  };
}
