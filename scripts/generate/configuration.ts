/** `docs/reference/configuration.md`: every key with its type, default, variable and description, from the JSON schema. */
import { BUILT_IN } from "../../src/adapters/platforms.js";
import { variableNames } from "../../src/config/environment.js";
import { configJsonSchema } from "../../src/config/json-schema.js";
import { cellText, codeText } from "./cell.js";

interface Node {
  description?: string;
  default?: unknown;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  format?: string;
}

interface Row {
  path: string[];
  node: Node;
}

const HEAD = `# Configuration reference

Every key of \`config.yaml\` in the home (\`~/.hermes\` by default). Leave out what you don't want to change. Flags win over
variables of the environment, these over \`.env\`, that over \`config.yaml\`, and that over the defaults.

- \`hermes config check\` lists every error with its line.
- \`hermes config show --sources\` shows what applies, and where each value comes from.
- \`hermes config set KEY VALUE\` changes one value and keeps the file's comments.
- [config/config.example.yaml](../../config/config.example.yaml) is the same list as a file; editors use
  [config/config.schema.json](../../config/config.schema.json).

\`<name>\` is a name of your choice and \`<n>\` a position in a list. Secrets belong into \`.env\`, under the variable that the table names.

<!-- Written by \`npm run generate\` from src/config and src/adapters/*/platform.ts. -->
`;

export function configurationText(): string {
  const { properties = {} } = configJsonSchema() as Node;
  const variables = variablesByKey();
  const all = Object.entries(properties);
  const isGroup = ([, node]: [string, Node]) => rowsBelow([], node).some(({ path }) => path.length > 0);
  const general = all.filter((entry) => !isGroup(entry)).map(([key, node]) => ({ path: [key], node }));
  const groups = all
    .filter((entry) => isGroup(entry) && entry[0] !== "platforms")
    .map(([key, node]) => section(`## ${key}`, node, rowsBelow([key], node), variables));
  return [
    HEAD,
    `## General\n\n${table(general, variables)}\n`,
    ...groups,
    platformsText(properties.platforms!, variables),
  ].join("\n");
}

function platformsText(node: Node, variables: ReadonlyMap<string, string[]>): string {
  const sections = Object.entries(node.properties ?? {}).map(([name, platform]) => {
    const rows = rowsBelow(["platforms", name], platform);
    return section(`### platforms.${name}`, platform, rows, variables);
  });
  return [`## platforms\n\n${sentence(node.description)}\n`, ...sections].join("\n");
}

function section(
  title: string,
  node: Node,
  rows: readonly Row[],
  variables: ReadonlyMap<string, string[]>,
): string {
  return `${title}\n\n${sentence(node.description)}\n\n${table(rows, variables)}\n`;
}

/** The keys that take a value, at any depth. */
function rowsBelow(path: string[], node: Node): Row[] {
  const named = Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    rowsBelow([...path, key], child),
  );
  const values = node.additionalProperties;
  const free =
    typeof values === "object" ? objectsIn(values).flatMap((one) => rowsBelow([...path, "<name>"], one)) : [];
  const listed = node.items ? objectsIn(node.items).flatMap((one) => rowsBelow([...path, "<n>"], one)) : [];
  const below = [...named, ...free, ...listed];
  return below.length > 0 ? below : [{ path, node }];
}

function objectsIn(node: Node): Node[] {
  return (node.anyOf ?? [node]).filter(({ properties }) => properties !== undefined);
}

function table(rows: readonly Row[], variables: ReadonlyMap<string, string[]>): string {
  const lines = rows.map(({ path, node }) => {
    const key = path.join(".");
    return `| \`${key}\` | ${typeOf(node)} | ${defaultOf(node)} | ${meaning(node, variables.get(key))} |`;
  });
  const head = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"];
  return [...head, ...lines].join("\n").replaceAll("|  |", "| |");
}

function meaning({ description = "" }: Node, variables: readonly string[] = []): string {
  const names = variables.map((name) => `\`${name}\``).join(", ");
  const label = variables.length > 1 ? "Variables" : "Variable";
  return names === "" ? cellText(description) : `${sentence(description)} ${label}: ${names}`.trim();
}

function typeOf(node: Node): string {
  if (node.anyOf) {
    const kinds = node.anyOf.filter(({ type }) => type !== "null").map(typeOf);
    return [...new Set(kinds)].join(" or ");
  }
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (node.const !== undefined) return `\`${String(node.const)}\``;
  if (node.type === "array") return `list of ${node.items ? typeOf(node.items) : "values"}`;
  if (node.type === "object") return "keys and values";
  if (node.format === "uri") return "URL";
  const [type = "any value"] = [node.type ?? []].flat();
  return `${type}${rangeOf(node)}`;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Node): string {
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`);
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (most !== undefined) return `, up to ${most}`;
  if (least === undefined || least === Number.MIN_SAFE_INTEGER) return "";
  return typeof least === "string" ? `, ${least}` : `, from ${least}`;
}

function defaultOf({ default: value }: Node): string {
  if (value === undefined || value === null || value === "") return "";
  return `\`${codeText(typeof value === "string" ? value : JSON.stringify(value))}\``;
}

function sentence(text = ""): string {
  return text === "" ? "" : `${cellText(text)}.`;
}

function variablesByKey(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, path] of variableNames(
    BUILT_IN.map((platform) => platform.name),
    [],
  )) {
    const key = path.join(".");
    found.set(key, [...(found.get(key) ?? []), name]);
  }
  return found;
}
