/** In each platform's page: what is promised after a crash, between two markers. */
import type { Platform } from "../../src/adapters/platform.js";

const BEGIN = "<!-- promises: written by `npm run generate` -->";
const END = "<!-- /promises -->";

export function withPromises(text: string, { label, promises }: Platform): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined || promises === undefined)
    throw new Error(`The page of ${label} needs ${BEGIN} … ${END}, and its description needs \`promises\``);
  const { inbound, outbound } = promises;
  return `${before}${BEGIN}

- Messages sent while the gateway is down ${inbound.how}. ${LOSES[inbound.loses]}
- An answer whose send was interrupted ${outbound.how}. ${REPEATS[outbound.repeats]}

${END}${after}`;
}

const LOSES = {
  nothing: "The gateway loses none.",
  some: "**Some can be lost.**",
} as const;

const REPEATS = {
  never: "It is never shown twice.",
  marked: "If it is shown twice, the second one says that it may be a repeat.",
} as const;
