/** The table of model services in docs/guides/model.md, between two markers. */
import { KEY_NAMES } from "../../src/agents/model/endpoint.js";
import { SERVICES } from "../../src/cli/setup/services.js";

const BEGIN = "<!-- services: written by `npm run generate` -->";
const END = "<!-- /services -->";

export function withServiceTable(text: string): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/guides/model.md needs ${BEGIN} … ${END}`);
  const rows = SERVICES.filter(({ provider }) => provider !== "echo").map(
    ({ label, provider, baseUrl, isOwn, key, keyPage }) => {
      const address = baseUrl === null ? (isOwn ? "its address" : "") : `\`${baseUrl}\``;
      const page = keyPage === undefined ? "" : `, from <${keyPage}>`;
      const secret = key === "none" ? "none" : `\`${KEY_NAMES[provider]}\`${page}`;
      return `| ${label} | \`${provider}\` | ${address} | ${secret} |`.replaceAll("|  |", "| |");
    },
  );
  const head = [
    "| service | `model.provider` | `model.base_url` | key in `.env` |",
    "| --- | --- | --- | --- |",
  ];
  return `${before}${BEGIN}\n\n${[...head, ...rows].join("\n")}\n\n${END}${after}`;
}
