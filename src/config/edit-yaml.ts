/**
 * Sets and removes keys in `config.yaml`. The rest of the text stays as its owner wrote it, to the last blank: the library
 * would rewrite the whole file in its own style.
 */
import {
  type Document,
  isMap,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
} from "yaml";
import { HermesError } from "../errors.js";

export interface YamlEdit {
  path: readonly string[];
  /** Undefined removes the key. */
  value: unknown;
}

export function editYaml(text: string, edits: readonly YamlEdit[]): string {
  return edits.reduce(applyEdit, text);
}

/** The value as written, not expanded. */
export function readRaw(text: string, path: readonly string[]): unknown {
  return parse(text).getIn(path);
}

function applyEdit(text: string, edit: YamlEdit): string {
  const document = parse(text);
  const now = document.hasIn(edit.path) ? plain(document.getIn(edit.path)) : undefined;
  if (JSON.stringify(now) === JSON.stringify(edit.value)) return text;
  const edited = edit.value === undefined ? takeOut(text, document, edit.path) : put(text, document, edit);
  // For YAML that the patch can't handle, fall back to the library's own writer.
  return holds(edited, text, edit) ? edited : byLibrary(document, edit);
}

function parse(text: string): Document.Parsed {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error || (document.contents !== null && !isMap(document.contents) && plain(document.contents) !== null))
    throw new HermesError(
      "invalid",
      `config.yaml is not a mapping of keys: ${error?.message ?? "it is something else"}`,
    );
  return document;
}

function byLibrary(document: Document.Parsed, edit: YamlEdit): string {
  editNodes(document, edit);
  return document.toString({ lineWidth: 0 });
}

function editNodes(document: Document.Parsed, { path, value }: YamlEdit): void {
  for (let depth = 1; depth < path.length; depth++) {
    const above = path.slice(0, depth);
    if (!document.hasIn(above)) break;
    const standing = plain(document.getIn(above));
    // An empty `model:` becomes a mapping.
    if (standing === null) document.deleteIn(above);
    else if (typeof standing !== "object" || Array.isArray(standing))
      throw new HermesError("invalid", `config.yaml: ${above.join(".")} is not a mapping of keys.`);
  }
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, value);
}

/** Whether the edit changed that key and nothing else. */
function holds(edited: string, before: string, edit: YamlEdit): boolean {
  const wanted = parse(before);
  editNodes(wanted, edit);
  const after = parseDocument(edited);
  if (after.errors.length > 0) return false;
  return JSON.stringify(withoutNulls(after.toJS())) === JSON.stringify(withoutNulls(wanted.toJS()));
}

/** `a:`, `a: {}` and no `a` mean the same here. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value)
    .map(([key, below]) => [key, withoutNulls(below)] as const)
    .filter(([, below]) => below !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

// --- setting ------------------------------------------------------------------------------------------------------

/** The deepest existing part of a path: its map, and the pair in it. */
interface ExistingPath {
  map: YAMLMap<Node, Node | null>;
  /** Number of keys that exist. */
  depth: number;
  pair: Pair<Node, Node | null> | undefined;
}

function find(document: Document.Parsed, path: readonly string[]): ExistingPath | undefined {
  if (!isMap(document.contents)) return undefined;
  let map = document.contents as YAMLMap<Node, Node | null>;
  for (let depth = 1; ; depth++) {
    const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === path[depth - 1]);
    if (!pair) return { map, depth: depth - 1, pair: undefined };
    if (depth === path.length || !isMap(pair.value)) return { map, depth, pair };
    map = pair.value as YAMLMap<Node, Node | null>;
  }
}

function put(text: string, document: Document.Parsed, { path, value }: YamlEdit): string {
  const place = find(document, path);
  if (!place) return `${endWithNewline(text)}${block(path, value, "")}`;
  const { map, depth, pair } = place;
  const rest = path.slice(depth);
  if (pair && rest.length === 0) return replaceValue(text, pair, value);
  if (pair)
    return pair.value === null || plain(pair.value) === null ? insertBelow(text, pair, rest, value) : text;
  if (map.flow) return insertFlow(text, map, rest, value);
  return insertLine(
    text,
    afterLine(text, endOf(map, text)),
    block(rest, value, indentOf(text, map.items[0]!)),
  );
}

function replaceValue(text: string, { key, value: node }: Pair<Node, Node | null>, value: unknown): string {
  const range = node?.range;
  const colon = text.indexOf(":", key.range![1]) + 1;
  const onKeyLine = (rest: string) => `${text.slice(0, colon)} ${inline(value)}${rest}`;
  if (!range || range[0] === range[1]) return onKeyLine(text.slice(colon));
  // What begins below its key may have no indent of its own, as lists often do.
  const between = text.slice(colon, range[0]);
  const firstLine = between.lastIndexOf("\n") + 1;
  if (firstLine > 0) return onKeyLine(between.slice(0, firstLine) + text.slice(nextLine(text, range[1])));
  // A text of several lines has its last line break in it.
  const end = text[range[1] - 1] === "\n" ? range[1] - 1 : range[1];
  return text.slice(0, range[0]) + inline(value) + text.slice(end);
}

/** The key exists with nothing under it. */
function insertBelow(
  text: string,
  pair: Pair<Node, Node | null>,
  rest: readonly string[],
  value: unknown,
): string {
  const indent = `${indentOf(text, pair)}  `;
  const [start = 0, end = 0] = pair.value?.range ?? [];
  // `model: null` or `model: ~`: nothing can be below it.
  const emptied = start < end ? text.slice(0, start).trimEnd() + text.slice(end) : text;
  return insertLine(emptied, afterLine(emptied, pair.key.range![1]), block(rest, value, indent));
}

function insertFlow(
  text: string,
  map: YAMLMap<Node, Node | null>,
  rest: readonly string[],
  value: unknown,
): string {
  const close = map.range![1] - 1;
  const last = map.items.at(-1);
  const added = inline(nested(rest, value)).slice(1, -1).trim();
  if (!last) return `${text.slice(0, close).trimEnd()}${added}${text.slice(close)}`;
  const end = last.value?.range?.[1] ?? last.key.range![1];
  return `${text.slice(0, end)}, ${added}${text.slice(end)}`;
}

function insertLine(text: string, at: number, lines: string): string {
  return endWithNewline(text.slice(0, at)) + lines + text.slice(at);
}

// --- removing -----------------------------------------------------------------------------------------------------

function takeOut(text: string, document: Document.Parsed, path: readonly string[]): string {
  const place = find(document, path);
  if (!place?.pair || place.depth !== path.length) return text;
  const { map, pair } = place;
  const start = pair.key.range![0];
  const end = pair.value?.range?.[1] ?? text.indexOf(":", pair.key.range![1]) + 1;
  if (!map.flow)
    return text.slice(0, text.lastIndexOf("\n", start - 1) + 1) + text.slice(nextLine(text, end));
  const after = /^\s*,\s*/.exec(text.slice(end))?.[0];
  if (after !== undefined) return text.slice(0, start) + text.slice(end + after.length);
  return text.slice(0, start).replace(/,\s*$/, "") + text.slice(end);
}

// --- text ---------------------------------------------------------------------------------------------------------

/** The end of its last value: blank lines and comments after it belong to the next key. */
function endOf(map: YAMLMap<Node, Node | null>, text: string): number {
  const last = map.items.at(-1)!;
  if (isMap(last.value) && !last.value.flow && last.value.items.length > 0)
    return endOf(last.value as YAMLMap<Node, Node | null>, text);
  const end = last.value?.range?.[1] ?? last.key.range![1];
  return text.slice(0, end).trimEnd().length;
}

function afterLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline === -1 ? text.length : newline + 1;
}

/** After a value that ends there; the last line of a block ends with it already. */
function nextLine(text: string, end: number): number {
  return text[end - 1] === "\n" ? end : afterLine(text, end);
}

function indentOf(text: string, { key }: Pair<Node, Node | null>): string {
  const start = key.range![0];
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return before.slice(0, before.length - before.trimStart().length);
}

function endWithNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function block(path: readonly string[], value: unknown, indent: string): string {
  return path
    .map((key, depth) => {
      const last = depth === path.length - 1;
      return `${indent}${"  ".repeat(depth)}${inline(key)}:${last ? ` ${inline(value)}` : ""}\n`;
    })
    .join("");
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((below, key) => ({ [key]: below }), value);
}

function inline(value: unknown): string {
  return stringify(value, {
    collectionStyle: "flow",
    flowCollectionPadding: false,
    lineWidth: 0,
    blockQuote: false,
  }).trimEnd();
}

function plain(node: unknown): unknown {
  if (node === undefined || node === null) return node;
  return typeof node === "object" && "toJSON" in node ? (node as Node).toJSON() : node;
}
