import { parseCommand } from "../../parse-command.js";
import type { CommandCall } from "../command.js";

/**
 * The arguments as they were written. Parsing turns long dashes into hyphens, which is right for flags and wrong for
 * prose; a text that isn't the command itself (an adapter took something off) leaves only the parsed ones.
 */
export function wordsOf({ args, message }: CommandCall): string {
  const written = /^\/\S*\s*([\s\S]*)$/.exec(message.text)?.[1];
  const same = written !== undefined && parseCommand(message.text).args === args;
  return (same ? written : args).trim();
}
