/** The models and agents that a person may choose. */
import type { Pickable } from "../../adapters/web/api.js";
import { PLATFORM } from "../../adapters/web/normalise.js";
import { mayUse } from "../../commands/admin.js";
import { HermesError } from "../../errors.js";
import type { Principal } from "../../message.js";
import { isOwner } from "../../policies/access.js";
import { DEFAULT_AGENT, usableAgents } from "../../policies/agent-choice.js";
import { platformConfig } from "../../rules.js";
import type { ConversationScope, WebChat } from "./chat.js";
import type { Visitor } from "./visitor.js";

export function principalOf({ config }: WebChat, { id }: Visitor): Principal {
  const person = { platform: PLATFORM, userId: id };
  return { ...person, owner: isOwner(person, config.owners) };
}

/** Empty unless the person may use the `/model` command. */
export function modelsFor(chat: WebChat, person: Visitor): Pickable {
  const { model } = chat.config;
  const names = mayChoose(chat, person, "model") ? model.choices : [];
  return {
    default: model.default ?? model.provider,
    choices: names.map((name) => ({ name, description: null })),
  };
}

export function agentsFor(chat: WebChat, person: Visitor): Pickable {
  const agents = new Map(Object.entries(chat.config.agents));
  const names = mayChoose(chat, person, "agent") ? usableAgents(agents, principalOf(chat, person)) : [];
  const choices = names.map((name) => ({ name, description: agents.get(name)?.description ?? null }));
  return { default: DEFAULT_AGENT, choices };
}

function mayChoose(chat: WebChat, person: Visitor, command: "model" | "agent"): boolean {
  const { owner } = principalOf(chat, person);
  const asker = { isDm: true, userId: person.id, owner, settings: platformConfig(chat.config, PLATFORM) };
  return mayUse({ name: command, adminOnly: true }, asker).ok;
}

interface Choice {
  model?: string | null | undefined;
  agent?: string | null | undefined;
}

export async function chooseFor(
  { chat, person, key }: ConversationScope,
  { model, agent }: Choice,
): Promise<void> {
  if (model === undefined && agent === undefined) return;
  requireChoice(model, modelsFor(chat, person), "model");
  requireChoice(agent, agentsFor(chat, person), "agent");
  const choice = { ...(model === undefined ? {} : { model }), ...(agent === undefined ? {} : { agent }) };
  await chat.gateway.choose(key, choice);
}

function requireChoice(name: string | null | undefined, { choices }: Pickable, what: string): void {
  if (name == null || choices.some((choice) => choice.name === name)) return;
  throw new HermesError("invalid", `There is no ${what} "${name.slice(0, 100)}" that you may use`);
}
