import type { Config } from "../config/schema.js";
import { type InboundMessage, type Principal, roomOf } from "../message.js";
import {
  type AccessLists,
  accessDecision,
  anyAllowlistSet,
  isOwner,
  unauthorizedResponse,
} from "../policies/access.js";
import { type EngageSettings, engageDecision } from "../policies/engage.js";
import { isolationOf } from "../rules.js";
import { isShared } from "../sessions/key.js";
import type { Command } from "./commands/command.js";
import { parseCommand } from "./parse-command.js";

/** message → ignore(reason) / refuse(reason) / pair / command / unknown command / turn. Decides; others act. */
export type Decision =
  | { to: "ignore"; reason: string }
  | { to: "refuse"; reason: string }
  | { to: "pair"; reason: string }
  | { to: "command"; command: Command; args: string }
  | { to: "unknown_command"; name: string }
  | { to: "turn" };

/** It was missed for longer than the operator wants answered. */
export const TOO_OLD = "too_old";

export interface RouterOptions {
  config: Config;
  findCommand(name: string): Command | undefined;
  accessLists(platform: string): AccessLists;
  engageSettings(platform: string): EngageSettings;
  dmBehaviour(platform: string): "pair" | "ignore" | undefined;
  isTooOld(message: InboundMessage, receivedAt: number): boolean;
  isPaired(platform: string, userIds: readonly string[]): Promise<boolean>;
}

export async function route(
  message: InboundMessage,
  options: RouterOptions,
  receivedAt: number,
): Promise<Decision> {
  if (options.isTooOld(message, receivedAt)) return { to: "refuse", reason: TOO_OLD };
  const refusal = await refusalOf(message, options);
  if (refusal) return refusal;
  const engaged = engageDecision(engageQuestion(message), options.engageSettings(message.platform));
  if (!engaged.answer) return { to: "ignore", reason: engaged.reason };
  // Whatever its text begins with: nobody has typed a command, or not as it stands there.
  if (message.errand || message.edited || message.fromCommand) return { to: "turn" };
  const { isCommand, command: name, args } = parseCommand(message.text);
  if (!isCommand || name === null) return { to: "turn" };
  const command = options.findCommand(name);
  return command ? { to: "command", command, args } : { to: "unknown_command", name };
}

async function refusalOf(message: InboundMessage, options: RouterOptions): Promise<Decision | undefined> {
  const { origin, isBot, authenticated, platform } = message;
  const lists = options.accessLists(platform);
  const ids = [origin.userId, origin.userIdAlt].filter((id) => !!id) as string[];
  const paired = !authenticated && (await options.isPaired(platform, ids));
  const decision = accessDecision({ origin, isBot, authenticated, paired, lists, roles: message.roles });
  if (decision.allow) return undefined;
  const response = unauthorizedResponse({
    chatType: origin.chatType,
    dmBehaviour: options.dmBehaviour(platform),
    anyAllowlistSet: anyAllowlistSet(lists),
  });
  const mayPair = response === "pair" && decision.reason === "not_listed";
  return { to: mayPair ? "pair" : "refuse", reason: decision.reason };
}

function engageQuestion(message: InboundMessage) {
  const { origin, mentioned, repliedToBot, threadWithBot, isBot, text, mentionsOthers = false } = message;
  const { chatType, threadId = null } = origin;
  const channelIds = [origin.chatId, origin.threadId, origin.parentChatId].filter((id) => !!id) as string[];
  const said = { mentioned, repliedToBot, mentionsOthers, isBot, text };
  return { chatType, threadId, channelIds, threadWithBot, ...said };
}

/**
 * Who is asking, for everything that is looked up on their behalf. Where several people write into one session, the
 * words of one could make the agent look up what is another's: there it finds what belongs to the room.
 */
export function principalOf(message: InboundMessage, config: Config): Principal {
  const room = isShared(message.origin, isolationOf(config)) ? roomOf(message.origin) : undefined;
  return { ...askerOf(message, config.owners), ...(room ? { room } : {}) };
}

function askerOf({ platform, origin, errand }: InboundMessage, owners: readonly string[]): Principal {
  const given = errand?.principal;
  if (given) return { ...given, owner: given.owner ?? isOwner(given, owners) };
  const userId = origin.userId ?? origin.userIdAlt ?? origin.chatId ?? "";
  return { platform, userId, owner: isOwner({ ...origin, platform }, owners) };
}
