import type { CommandCall } from "../command.js";
import { parseCommand } from "../parse-command.js";

/**
 * The arguments as written. The parser replaces long dashes with hyphens, which is right for flags but wrong for prose.
 * Falls back to the parsed arguments if the text doesn't start with the command (an adapter removed a prefix).
 */
export function rawArgs({ args, message }: CommandCall): string {
  const written = /^\/\S*\s*([\s\S]*)$/.exec(message.text)?.[1];
  const same = written !== undefined && parseCommand(message.text).args === args;
  return (same ? written : args).trim();
}
