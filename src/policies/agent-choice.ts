/** Which agent and which model answer in a chat. Pure. */
import type { Origin, Principal } from "../message.js";
import { isListed } from "./tool-access.js";

/** The name of the configured default in `/agent` and `channel_overrides`. */
export const DEFAULT_AGENT = "default";

export type AgentLists = ReadonlyMap<string, { allow: readonly string[] }>;

export interface ChannelOverride {
  agent: string | null;
  model: string | null;
}

/** Names that exist and that this person may use, in order. */
export function usableAgents(agents: AgentLists, principal: Principal): string[] {
  return [...agents].flatMap(([name, { allow }]) => (isListed(allow, principal) ? [name] : []));
}

/** A choice of a chat or of its route. */
export interface AnswererChoice {
  agent?: string | null | undefined;
  model?: string | null | undefined;
}

/** Who answers: the first set choice wins, and the configuration's for this chat comes last. Undefined for the default. */
export function chosenAnswerer(
  {
    origin,
    principal,
    choices,
  }: { origin: Origin; principal: Principal; choices: readonly AnswererChoice[] },
  agents: AgentLists,
  overrides: Readonly<Record<string, ChannelOverride>>,
): { agent: string | undefined; model: string | undefined } {
  const all = [...choices, overrideFor(origin, overrides) ?? {}];
  const wishes = all.map(({ agent }) => agent);
  return {
    agent: chosenAgent(wishes, agents, principal),
    model: all.find(({ model }) => model != null)?.model ?? undefined,
  };
}

/**
 * The first set choice wins; undefined for the default. An agent that no longer exists, or that the person
 * may not use, also means the default.
 */
export function chosenAgent(
  wishes: readonly (string | null | undefined)[],
  agents: AgentLists,
  principal: Principal,
): string | undefined {
  const wish = wishes.find((name) => name != null);
  const lists = wish == null ? undefined : agents.get(wish);
  return lists && isListed(lists.allow, principal) ? wish! : undefined;
}

/** A thread's own entry before its chat's; "platform:id" before the bare id. */
export function overrideFor(
  { platform, threadId, chatId, parentChatId }: Origin,
  overrides: Readonly<Record<string, ChannelOverride>>,
): ChannelOverride | undefined {
  for (const id of [threadId, chatId, parentChatId]) {
    if (!id) continue;
    for (const key of [`${platform}:${id}`, id]) if (Object.hasOwn(overrides, key)) return overrides[key];
  }
  return undefined;
}
