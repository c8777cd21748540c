import type { AgentOfChat, CommandCall } from "../commands/command.js";
import { chosenAgent, DEFAULT_AGENT, overrideFor, usableAgents } from "../policies/agent-choice.js";
import type { SessionKey } from "../session.js";
import type { RouteChoice } from "../store/queues.js";
import type { Context } from "./context.js";

const MAX_CHATS = 1000;

/** Choices made with /model and /agent in chats without a route yet, kept in memory. Other chats store them in their route. */
export class ChatChoices {
  readonly #choices = new Map<SessionKey, RouteChoice>();

  get(key: SessionKey): RouteChoice {
    return this.#choices.get(key) ?? {};
  }

  set(key: SessionKey, choice: RouteChoice): void {
    const next = { ...this.get(key), ...choice };
    this.#choices.delete(key);
    if (next.model != null || next.agent != null) this.#choices.set(key, next);
    const oldest = this.#choices.keys().next().value;
    if (this.#choices.size > MAX_CHATS && oldest !== undefined) this.#choices.delete(oldest);
  }
}

export async function modelOf(
  { choices, store, agent }: Pick<Context, "choices" | "store" | "agent">,
  key: SessionKey,
): Promise<string> {
  return choices.get(key).model ?? (await store.getRoute(key))?.model ?? agent.model;
}

export function agentOf(
  { choices, agents, config }: Pick<Context, "choices" | "agents" | "config">,
  { key, route, message, principal }: CommandCall,
): AgentOfChat {
  const override = overrideFor(message.origin, config.channel_overrides);
  const nameOf = (wishes: readonly (string | null | undefined)[]) =>
    chosenAgent(wishes, agents, principal) ?? DEFAULT_AGENT;
  return {
    current: nameOf([choices.get(key).agent, route?.agent, override?.agent]),
    configured: nameOf([override?.agent]),
    usable: usableAgents(agents, principal).map((name) => ({
      name,
      description: agents.get(name)?.description ?? null,
    })),
  };
}

/** Null restores the configured default. */
export async function choose(
  { store, choices }: Pick<Context, "store" | "choices">,
  key: SessionKey,
  choice: RouteChoice,
): Promise<void> {
  const isStored = await store.setRouteChoice(key, choice);
  const none = Object.fromEntries(Object.keys(choice).map((name) => [name, null]));
  choices.set(key, isStored ? none : choice);
}
