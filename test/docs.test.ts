import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import type { Command } from "commander";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { renderPage } from "../scripts/docs/markdown.js";
import { readNavigation } from "../scripts/docs/navigation.js";
import { wholeProgram } from "../src/cli/run.js";
import { configSchema } from "../src/config/schema.js";
import { keysOf, schemaAt } from "../src/config/walk.js";
import { openStore } from "../src/store/sqlite/index.js";
import { tempDir } from "./support/temp.js";

/** The documents mention only things that exist. */

const ROOT = path.resolve(import.meta.dirname, "..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...(fs.readdirSync(path.join(ROOT, "docs"), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join("docs", name)),
];
const texts = new Map(pages.map((name) => [name, fs.readFileSync(path.join(ROOT, name), "utf8")]));

/** Code in the text: `so`, and blocks. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].map(([, code]) => code!);
  const spans = text.replace(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/`([^`]+)`/g);
  return [...blocks, ...[...spans].map(([, code]) => code!.replace(/\s+/g, " "))];
}

const TOP = new Set(keysOf(configSchema));

/** `platforms.slack.token`, also with `*` or `<name>` for any name. */
function keysIn(text: string): string[] {
  return codeOf(text)
    .flatMap((code) => [...code.matchAll(/(?<![\w./#-])([a-z_]+(?:\.(?:[a-z_]+|\*|<\w+>))+)(?![\w(/-])/g)])
    .map(([, key]) => key!)
    .filter(
      (key) => TOP.has(key.split(".", 1)[0]!) && !/\.(?:md|ts|js|jsonl?|yaml|yml|db|log|lock|sh)$/.test(key),
    );
}

/** Parts of a `config.yaml`: blocks of YAML that begin with keys of ours. */
function fragmentsIn(text: string): unknown[] {
  return [...text.matchAll(/^ *```yaml\n([\s\S]*?)^ *```/gm)]
    .map(([, code]) => parse(code!.replace(/\$\{\w+\}/g, "a-secret-of-some-length")) as unknown)
    .filter(
      (value) =>
        typeof value === "object" && value !== null && Object.keys(value).some((key) => TOP.has(key)),
    );
}

/** `*` and `<name>` match any name. */
function hasKey(names: readonly string[]): boolean {
  const known: string[] = [];
  for (const name of names) {
    const isAny = name === "*" || name.startsWith("<");
    known.push(isAny ? (keysOf(schemaAt(configSchema, known))[0] ?? name) : name);
  }
  return schemaAt(configSchema, known) !== undefined;
}

/** `hermes sessions list --json` → `sessions list`. */
function commandsIn(text: string): string[] {
  return codeOf(text)
    .flatMap((code) => [...code.matchAll(/(?:^|[\s$(])hermes((?: [a-z][a-z|-]*)*)/gm)])
    .map(([, words]) => words!.trim())
    .filter((words) => words !== "");
}

describe("the documents", () => {
  it.each(pages)("%s names existing configuration keys", (name) => {
    expect(keysIn(texts.get(name)!).filter((key) => !hasKey(key.split(".")))).toEqual([]);
  });

  it.each(pages)("%s shows valid configuration", (name) => {
    const faults = fragmentsIn(texts.get(name)!).flatMap((fragment) => {
      const { error } = configSchema.safeParse(fragment);
      // A plugin's own keys are known when it is loaded.
      const issues = (error?.issues ?? []).filter(({ path: at }) => at[1] !== "pigeon");
      return issues.map(({ path: at, message }) => `${at.join(".")}: ${message}`);
    });
    expect(faults).toEqual([]);
  });

  it("name existing commands", async () => {
    const known = await commandTree();
    const wrong = [...texts].flatMap(([name, text]) =>
      commandsIn(text)
        .flatMap(alternatives)
        .filter((words) => !isKnown(known, words.split(" ")))
        .map((words) => `${name}: hermes ${words}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(pages)("%s quotes files correctly", (name) => {
    const quotes = [...texts.get(name)!.matchAll(/^```\w+ (\S+\/\S+)\n([\s\S]*?)^```/gm)];
    const wrong = quotes
      .filter(([, file, code]) => !contains(fs.readFileSync(path.join(ROOT, file!), "utf8"), code!))
      .map(([, file, code]) => `${file}: ${code}`);
    expect(wrong).toEqual([]);
  });

  it.each(pages)("%s has only working links", (name) => {
    const { links, html } = rendered(name);
    const missing = links.filter(({ file }) => !fs.existsSync(path.join(ROOT, file)));
    const lost = links.filter(({ file, anchor }) => anchor !== "" && !anchorsOf(file).has(anchor));
    const here = [...html.matchAll(/href="#([^"]+)"/g)].filter(([, anchor]) => !anchorsOf(name).has(anchor!));
    expect({ missing, lost, here }).toEqual({ missing: [], lost: [], here: [] });
  });

  it("use existing flags", async () => {
    const program = await wholeProgram();
    const calls = [...texts].flatMap(([name, text]) => callsIn(text).map((words) => ({ name, words })));
    expect(calls.length).toBeGreaterThan(100);
    const wrong = calls.flatMap(({ name, words }) =>
      unknownFlags(program, words).map((flag) => `${name}: hermes ${words.join(" ")}: ${flag}`),
    );
    expect(wrong).toEqual([]);
  });

  it("are all in the navigation of the site", () => {
    const topics = readNavigation(texts.get("docs/README.md")!, "docs/README.md");
    const listed = topics.flatMap(({ entries }) => entries.map(({ file }) => file));
    const inDocs = pages.filter((name) => name.startsWith("docs/") && name !== "docs/README.md");
    expect(inDocs.filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.length).toBe(new Set(listed).size);
  });
});

it("docs/store.md names all our tables, and our indexes on Hermes' tables", async () => {
  const file = path.join(tempDir(), "state.db");
  await (await openStore({ path: file, threads: false })).close();
  const db = new Database(file, { readonly: true });
  onTestFinished(() => void db.close());
  const ours = db
    .prepare(
      `SELECT name FROM sqlite_master WHERE name LIKE 'gw\\_%' ESCAPE '\\'
       AND (type = 'table' OR tbl_name NOT LIKE 'gw\\_%' ESCAPE '\\') ORDER BY name`,
    )
    .pluck()
    .all();
  const named = new Set([...texts.get("docs/store.md")!.matchAll(/`(gw_\w+)`/g)].map(([, name]) => name));
  expect([...named].toSorted()).toEqual(ours);
});

const renderedPages = new Map<string, ReturnType<typeof renderPage>>();

function rendered(name: string) {
  const known = renderedPages.get(name);
  if (known) return known;
  const page = renderPage(fs.readFileSync(path.join(ROOT, name), "utf8"), name, () => undefined);
  renderedPages.set(name, page);
  return page;
}

function anchorsOf(name: string): Set<string> {
  return new Set(name.endsWith(".md") ? rendered(name).headings.map(({ id }) => id) : []);
}

/** `$ hermes sessions list --json   # all` → `["sessions", "list", "--json"]`. */
function callsIn(text: string): string[][] {
  return codeOf(text)
    .flatMap((code) => code.replace(/\\\n\s*/g, "").split("\n"))
    .flatMap((line) => line.split(/ #|[|;]|&&/))
    .map((part) => /(?:^|[\s$(])hermes (.+)$/.exec(part)?.[1]?.trim().split(/\s+/))
    .filter((words) => words !== undefined);
}

/** Flags that neither the command nor one above it has. */
function unknownFlags(program: Command, words: readonly string[]): string[] {
  const known = new Set(["--help"]);
  let at: Command | undefined = program;
  const add = (command: Command) => {
    for (const { long } of command.options) if (long) known.add(long);
  };
  add(program);
  for (const word of words) {
    at = at?.commands.find((command) => command.name() === word) ?? at;
    if (at) add(at);
  }
  const flags = words
    .map((word) => /^[[(]?(--[a-z][a-z-]*)/.exec(word)?.[1])
    .filter((flag) => flag !== undefined);
  return flags.filter((flag) => !known.has(flag));
}

/** Whole lines in order; a quote may be indented less than in its file. */
function contains(file: string, quote: string): boolean {
  const lines = quote.trimEnd().split("\n");
  const indents = [...new Set(file.match(/^ */gm))];
  return indents.some((indent) => {
    const indented = lines.map((line) => (line === "" ? line : indent + line)).join("\n");
    return `\n${file}`.includes(`\n${indented}\n`);
  });
}

/** `pairing list|approve` is two commands. */
function alternatives(words: string): string[] {
  return words
    .split(" ")
    .reduce<string[]>(
      (found, word) => found.flatMap((before) => word.split("|").map((one) => `${before} ${one}`.trim())),
      [""],
    );
}

type Tree = Map<string, Set<string>>;

async function commandTree(): Promise<Tree> {
  const { commands } = await wholeProgram();
  return new Map(
    commands.map((command) => [command.name(), new Set(command.commands.map((one) => one.name()))]),
  );
}

/** The words after a command that has no subcommands are its arguments. */
function isKnown(tree: Tree, [first, second]: string[]): boolean {
  const below = tree.get(first!);
  if (!below) return false;
  return below.size === 0 || second === undefined || below.has(second);
}
