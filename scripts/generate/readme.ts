/** The README's table of platforms, between two markers. */
import type { Capability, Platform } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";

const BEGIN = "<!-- platforms: written by `npm run generate` -->";
const END = "<!-- /platforms -->";

const HEADERS = [
  "platform",
  "in `.env`",
  "how messages come in",
  "besides text",
  "messages sent while it is down",
  "an answer whose send was interrupted",
];

const WORDS: Readonly<Record<Capability, string>> = {
  files: "files",
  streaming: "live answers",
  typing: "typing",
  menu: "command menu",
  buttons: "buttons",
  lookup: "",
};

export function withPlatformTable(readme: string): string {
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md has no ${BEGIN} … ${END}`);
  return [before, BEGIN, "\n\n", platformTable(), "\n\n", END, after].join("");
}

function platformTable(): string {
  const rows = (BUILT_IN as readonly Platform[]).flatMap(({ label, docs, promises, capabilities }) => {
    if (!docs) return [];
    const can = capabilities.map((capability) => WORDS[capability]).filter((word) => word !== "");
    const { inbound, outbound } = promises!;
    const title = docs.page === undefined ? label : `[${label}](${docs.page})`;
    return [[title, docs.secrets, docs.receives, can.join(", "), inbound.how, outbound.how]];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(HEADERS), line(HEADERS.map(() => "---")), ...rows.map(line)].join("\n");
}
