import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { configJsonSchemaText } from "../../scripts/generate/config-schema.js";
import { generatedFiles } from "../../scripts/generate/files.js";
import type { Platform } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";
import { configSchema } from "../../src/config/schema.js";
import { leafPaths } from "../../src/config/walk.js";
import { load } from "./temp-home.js";

const folder = new URL("../../config/", import.meta.url);
const example = readFileSync(new URL("config.example.yaml", folder), "utf8");

/** The dotted key of every line, commented out or not, by its indentation; deeper comments are samples. */
function namedKeys(yaml: string): { path: string; line: string }[] {
  const above: string[] = [];
  return yaml.split("\n").flatMap((line) => {
    const match = /^( *)(?:# )?([a-z_]+):( |$)/.exec(line);
    if (!match || /^ *# [a-z_]+:$/.test(line)) return [];
    const depth = match[1]!.length / 2;
    above.splice(depth, above.length, match[2]!);
    return [{ path: above.join("."), line }];
  });
}

const variablesIn = (yaml: string) => [...yaml.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name!);

test("the example loads to the defaults", () => {
  expect(example.split("\n")[0]).toBe("# yaml-language-server: $schema=./config.schema.json");
  expect(parse(example)).toBeTypeOf("object");
  expect(load({ yaml: example }).config).toEqual(load({}).config);
});

test("the example has every key of the schema and no other", () => {
  const leaves = leafPaths(configSchema);
  const groups = new Set(
    leaves.flatMap((path) => path.split(".").map((_, i, keys) => keys.slice(0, i).join("."))),
  );
  const named = namedKeys(example).map(({ path }) => path);
  expect(leaves.filter((path) => !named.includes(path))).toEqual([]);
  expect(named.filter((path) => !leaves.includes(path) && !groups.has(path))).toEqual([]);
});

test("the example describes every key in one line", () => {
  const leaves = leafPaths(configSchema);
  const mute = namedKeys(example).filter(({ path, line }) => leaves.includes(path) && !/ {2}# \S/.test(line));
  expect(mute).toEqual([]);
});

test("the example's commented-out keys are valid", () => {
  // Keys with a sample value, one by one: the samples of a whole file contradict one another.
  const secrets = (BUILT_IN as readonly Platform[]).flatMap(({ setup }) => setup?.secrets ?? []);
  const names = [...secrets.map(({ variable }) => variable), ...variablesIn(example)];
  const named = Object.fromEntries(names.map((name, i) => [name, `s${i}`]));
  const addresses = secrets.filter((secret) => secret.example.startsWith("http"));
  const env = { ...named, ...Object.fromEntries(addresses.map((one) => [one.variable, one.example])) };
  // An issuer needs these.
  const flags = { "web_chat.oidc.client_id": "hermes", "web_chat.oidc.allow_all": true };
  for (const { path, line } of namedKeys(example)) {
    const sample = /^ *# [a-z_]+: (.*?) {2}# /.exec(line)?.[1];
    if (sample !== undefined)
      expect(() => load({ env, flags: { ...flags, [path]: parse(sample) } })).not.toThrow();
  }
});

test.each(await generatedFiles())("$name is up to date", ({ url, text }) => {
  expect(readFileSync(url, "utf8") === text, "stale: run `npm run generate`").toBe(true);
});

test("every key is described in the JSON schema", () => {
  const mute: string[] = [];
  const walk = (node: Record<string, unknown>, path: string) => {
    for (const [key, below] of Object.entries(
      (node.properties ?? {}) as Record<string, Record<string, unknown>>,
    )) {
      if (!below.description) mute.push(`${path}${key}`);
      walk(below, `${path}${key}.`);
    }
  };
  walk(JSON.parse(configJsonSchemaText()) as Record<string, unknown>, "");
  expect(mute).toEqual([]);
});
