/** The gateway's commands → Discord's menu of slash commands. Pure. */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
} from "discord-api-types/v10";
import type { MenuCommand } from "../adapter.js";

const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 100;
const NAME = /^[-_\p{Ll}\p{N}]{1,32}$/u;
const CONTEXTS = [InteractionContextType.Guild, InteractionContextType.BotDM];

export function menuOf(commands: readonly MenuCommand[]): object[] {
  return commands
    .map(({ name, ...rest }) => ({ name: name.replace(/^\//, "").toLowerCase(), ...rest }))
    .filter(({ name }) => NAME.test(name))
    .slice(0, MAX_COMMANDS)
    .map(({ name, description, usage }) => ({
      name,
      type: ApplicationCommandType.ChatInput,
      description: short(description) || name,
      contexts: CONTEXTS,
      options: usage ? [argumentOption(usage)] : [],
    }));
}

function argumentOption(usage: string): object {
  return {
    type: ApplicationCommandOptionType.String,
    name: "args",
    description: short(usage),
    required: false,
  };
}

function short(text: string): string {
  const points = Array.from(text);
  return points.length > MAX_DESCRIPTION ? `${points.slice(0, MAX_DESCRIPTION - 1).join("")}…` : text;
}
