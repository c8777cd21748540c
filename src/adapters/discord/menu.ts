/** The gateway's commands → Discord's menu of slash commands. Pure. */
import type { MenuCommand } from "../adapter.js";
import { OPTION_STRING } from "./kinds.js";

const MOST_COMMANDS = 100;
const DESCRIPTION_MAX = 100;
const NAME = /^[-_\p{Ll}\p{N}]{1,32}$/u;
/** In servers and in direct messages with the bot. */
const EVERYWHERE = [0, 1];
const SLASH_COMMAND = 1;

export function menuOf(commands: readonly MenuCommand[]): object[] {
  return commands
    .map(({ name, ...rest }) => ({ name: name.replace(/^\//, "").toLowerCase(), ...rest }))
    .filter(({ name }) => NAME.test(name))
    .slice(0, MOST_COMMANDS)
    .map(({ name, description, usage }) => ({
      name,
      type: SLASH_COMMAND,
      description: short(description) || name,
      contexts: EVERYWHERE,
      options: usage ? [argumentOption(usage)] : [],
    }));
}

function argumentOption(usage: string): object {
  return { type: OPTION_STRING, name: "args", description: short(usage), required: false };
}

function short(text: string): string {
  const points = Array.from(text);
  return points.length > DESCRIPTION_MAX ? `${points.slice(0, DESCRIPTION_MAX - 1).join("")}…` : text;
}
