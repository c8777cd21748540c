/** What is promised after a crash, between two markers: in each platform's page, and for all of them in docs/delivery.md. */
import type { Platform } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";

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

const TABLE_BEGIN = "<!-- delivery: written by `npm run generate` -->";
const TABLE_END = "<!-- /delivery -->";

export function withPromiseTable(text: string): string {
  const [before, rest] = text.split(TABLE_BEGIN);
  const after = rest?.split(TABLE_END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/delivery.md needs ${TABLE_BEGIN} … ${TABLE_END}`);
  const rows = (BUILT_IN as readonly Platform[]).flatMap(({ label, docs, promises }) => {
    if (!docs || !promises) return [];
    const title = docs.page === undefined ? label : `[${label}](${docs.page.replace(/^docs\//, "")})`;
    return [`| ${title} | ${promises.inbound.how} | ${promises.outbound.how} |`];
  });
  const head = [
    "| platform | messages sent while it is down | an answer whose send was interrupted |",
    "| --- | --- | --- |",
  ];
  return `${before}${TABLE_BEGIN}\n\n${[...head, ...rows].join("\n")}\n\n${TABLE_END}${after}`;
}
