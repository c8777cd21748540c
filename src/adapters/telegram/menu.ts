/** The gateway's commands → Telegram's menu, which allows lower-case names and short descriptions only. Pure. */
import type { MenuCommand } from "../adapter.js";

const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 256;

export function menuOf(commands: readonly MenuCommand[]): { command: string; description: string }[] {
  return commands
    .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
    .slice(0, MAX_COMMANDS)
    .map(({ name, description }) => ({
      command: name,
      description: description.slice(0, MAX_DESCRIPTION).trim() || name,
    }));
}
