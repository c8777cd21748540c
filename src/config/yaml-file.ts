/** `config.yaml` → plain values with the line of each: aliases followed, `${VAR}` expanded, nothing interpreted yet. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
} from "yaml";
import { Written } from "./coerce.js";
import { expand } from "./expand.js";
import { define, isTree, type Tree } from "./tree.js";

export interface YamlFile {
  tree: Tree;
  /** Dotted path → line of its key. */
  lines: Map<string, number>;
  faults: YamlFault[];
  /** The YAML itself is broken, so nothing can be checked. */
  unreadable: boolean;
}

interface YamlFault {
  line: number;
  column?: number;
  path: string[];
  message: string;
}

/** More than any real file has; nested aliases can grow without limit. */
const MAX_NODES = 20_000;
const DEEPEST = 32;

export function readYaml(text: string, variable: (name: string) => string | undefined): YamlFile {
  const counter = new LineCounter();
  const document = parse(text, counter);
  if (document instanceof Error)
    return broken([{ line: 1, path: [], message: `is not YAML: ${document.message}` }]);
  if (document.errors.length > 0) return broken(syntaxFaults(document, counter));
  return new Reader(document, counter, variable).read();
}

function parse(text: string, lineCounter: LineCounter): Document.Parsed | Error {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false });
  } catch (error) {
    return error as Error;
  }
}

function broken(faults: YamlFault[]): YamlFile {
  return { tree: {}, lines: new Map(), faults, unreadable: true };
}

/** One per line: an unclosed bracket causes several errors. */
function syntaxFaults(document: Document.Parsed, counter: LineCounter): YamlFault[] {
  const byPlace = new Map<number, YamlFault>();
  for (const { pos, code, message: words } of document.errors) {
    const { line, col } = counter.linePos(pos[0]);
    const message = code === "MULTIPLE_DOCS" ? "there is more than one document in it" : words;
    if (!byPlace.has(line))
      byPlace.set(line, { line, column: col, path: [], message: `is not YAML: ${message}` });
  }
  return [...byPlace.values()];
}

class Reader {
  readonly #document: Document.Parsed;
  readonly #counter: LineCounter;
  readonly #variable: (name: string) => string | undefined;
  readonly #result: YamlFile = { tree: {}, lines: new Map(), faults: [], unreadable: false };
  #nodes = 0;

  constructor(
    document: Document.Parsed,
    counter: LineCounter,
    variable: (name: string) => string | undefined,
  ) {
    this.#document = document;
    this.#counter = counter;
    this.#variable = variable;
  }

  read(): YamlFile {
    const root = this.#value(this.#document.contents, []);
    if (isTree(root) && !(root instanceof Written)) this.#result.tree = root;
    else if (root !== null) this.#complain(this.#document.contents, [], "is not a mapping of keys to values");
    return this.#result;
  }

  #value(node: Node | null, path: string[]): unknown {
    if (++this.#nodes > MAX_NODES || path.length > DEEPEST) {
      // Report it once, and skip the rest of the file.
      if (!this.#result.unreadable)
        this.#complain(node, path, "is nested too deep, or has aliases without end");
      this.#result.unreadable = true;
      return null;
    }
    if (isAlias(node)) return this.#value(node.resolve(this.#document) ?? null, path);
    if (isMap(node)) return this.#map(node.items as Pair<Node, Node | null>[], path);
    if (isSeq(node))
      return node.items.map((item, index) => this.#item(item as Node, [...path, String(index)]));
    if (isScalar(node)) return this.#scalar(node, path);
    return null;
  }

  #map(pairs: Pair<Node, Node | null>[], path: string[]): Tree {
    const tree: Tree = {};
    for (const { key, value } of pairs) {
      if (!isScalar(key)) {
        this.#complain(key, path, "has a key that is not plain text");
        continue;
      }
      const name = key.source ?? String(key.value);
      this.#mark(key, [...path, name]);
      define(tree, name, this.#value(value, [...path, name]));
    }
    return tree;
  }

  #item(node: Node, path: string[]): unknown {
    this.#mark(node, path);
    return this.#value(node, path);
  }

  #scalar(node: { value: unknown; source?: string; type?: string }, path: string[]): unknown {
    if (node.value === null) return null;
    if (typeof node.value !== "string") return new Written(node.source ?? String(node.value), node.value);
    const { text, problems } = expand(node.value, this.#variable);
    for (const message of problems) this.#complain(node as Node, path, message);
    // `token: ${TOKEN:-}` leaves the key unset; quotes make it the empty text.
    if (text === "" && node.type === "PLAIN") return null;
    return new Written(text);
  }

  #mark(node: Node, path: string[]): void {
    const key = path.join(".");
    if (!this.#result.lines.has(key)) this.#result.lines.set(key, this.#line(node));
  }

  #complain(node: Node | null, path: string[], message: string): void {
    this.#result.faults.push({ line: this.#line(node), path, message });
  }

  #line(node: Node | null): number {
    return this.#counter.linePos(node?.range?.[0] ?? 0).line || 1;
  }
}
