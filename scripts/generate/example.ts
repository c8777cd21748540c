/** The configuration's schema → `config/config.example.yaml`: every key with its default and description. */
import { stringify } from "yaml";
import { z } from "zod";
import type { Platform } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";
import { variableNames } from "../../src/config/environment.js";
import { isSecretPath } from "../../src/config/mask.js";
import { configSchema } from "../../src/config/schema.js";
import { samples } from "../../src/config/sections/scalars.js";
import { childSchema, keysOf, unwrap } from "../../src/config/walk.js";

const HEADER = `# yaml-language-server: $schema=./config.schema.json
#
# Every key of Hermes Gateway with its default; keys that have none are commented out.
# Copy what you want to change to $HERMES_HOME/config.yaml (default ~/.hermes/config.yaml); leave out the rest.
#
# Flags win over the environment (and .env), that over this file, and this file over the defaults.
# \${VAR} and \${VAR:-default} are expanded in every value; $\${ is a plain \${.
# \`hermes config check\` lists every fault, \`hermes config show --sources\` what is in force and why.
#
# Written by \`npm run generate\` from src/config and src/adapters/*/platform.ts.
`;

export function exampleText(): string {
  return `${[HEADER, ...section(configSchema, [])].join("\n")}\n`;
}

function section(schema: z.ZodType, above: readonly string[]): string[] {
  let afterGroup = false;
  return keysOf(schema).flatMap((key) => {
    const child = childSchema(schema, key)!;
    const path = [...above, key];
    const isGroup = keysOf(child).length > 0;
    const gap = path.length === 1 && (isGroup || afterGroup) ? [""] : [];
    afterGroup = isGroup;
    return [...gap, ...(isGroup ? group(child, path) : leaf(child, path))];
  });
}

function group(schema: z.ZodType, path: readonly string[]): string[] {
  const indent = "  ".repeat(path.length - 1);
  return [`${indent}# ${describe(schema, path)}`, `${indent}${path.at(-1)}:`, ...section(schema, path)];
}

function leaf(schema: z.ZodType, path: readonly string[]): string[] {
  const indent = "  ".repeat(path.length - 1);
  const key = path.at(-1)!;
  const value = defaultOf(schema);
  const about = `  # ${describe(schema, path)}`;
  if (value === null || value === undefined) return [`${indent}# ${key}: ${sampleOf(schema, path)}${about}`];
  const block = samples.get(schema)?.yaml.split("\n") ?? [];
  return [
    `${indent}${key}: ${inline(value)}${about}`,
    ...(block.length > 0 ? [`${indent}# ${key}:`, ...block.map((line) => `${indent}#   ${line}`)] : []),
  ];
}

function describe(schema: z.ZodType, path: readonly string[]): string {
  if (schema.description === undefined) throw new Error(`${path.join(".")} has no description`);
  return schema.description;
}

/** The default as written in YAML; undefined if there is none. */
function defaultOf(schema: z.ZodType): unknown {
  for (let at: unknown = schema; ; ) {
    if (at instanceof z.ZodDefault || at instanceof z.ZodPrefault) return at.def.defaultValue;
    if (at instanceof z.ZodPipe) at = at.in;
    else if (at instanceof z.ZodNullable || at instanceof z.ZodOptional) at = at.unwrap();
    else return undefined;
  }
}

function sampleOf(schema: z.ZodType, path: readonly string[]): string {
  const given = samples.get(schema)?.yaml;
  if (given !== undefined) return given;
  const [first, name, key] = path;
  if (first === "platforms" && key === "home_channel")
    return inline(platformNamed(name!)?.ids.example ?? "main");
  const variable = isSecretPath(path) ? variableFor(path) : undefined;
  if (variable !== undefined) return `\${${variable}}`;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodBoolean) return "true";
  if (inner instanceof z.ZodEnum) return String(inner.options.at(-1));
  throw new Error(`${path.join(".")} needs a sample value: wrap its schema in sample()`);
}

function platformNamed(name: string): Platform | undefined {
  return BUILT_IN.find((platform) => platform.name === name);
}

function inline(value: unknown): string {
  const options = {
    collectionStyle: "flow",
    lineWidth: 0,
    blockQuote: false,
    flowCollectionPadding: false,
  } as const;
  return stringify(value, options).trimEnd();
}

/** The variable that sets a key, by the key's path. */
function variableFor(path: readonly string[]): string | undefined {
  const wanted = path.join(".");
  const names = BUILT_IN.map(({ name }) => name);
  return [...variableNames(names, [])].find(([, to]) => to.join(".") === wanted)?.[0];
}
