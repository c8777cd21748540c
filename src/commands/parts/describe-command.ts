import type { Command } from "../command.js";
import { code } from "./text.js";

/** "`/title [text]` Show or set the session's title". */
export function describeCommand({ name, usage, description }: Command): string {
  return `${code(usage === undefined ? `/${name}` : `/${name} ${usage}`)} ${description}`;
}
