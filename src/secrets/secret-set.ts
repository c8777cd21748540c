/** The tokens and keys that must not leave a process, as a search automaton. */
import { BoundedMap } from "../bounded-map.js";

export interface Secret {
  /** Where it is configured, for reports. */
  name: string;
  value: string;
}

/** A node of an Aho–Corasick automaton. */
export interface Node {
  next: Map<number, Node>;
  fail: Node | undefined;
  /** Length of the text that leads here. */
  depth: number;
  /** The longest secret that ends here. */
  match: { length: number; name: string } | undefined;
}

export interface Known {
  forms: readonly Secret[];
  longest: number;
  root: Node;
}

/** Shorter secrets would match ordinary words. */
const MIN_CHARS = 8;
/** Renewed logins to remember: old ones stay valid for a while, but each costs memory and search time. */
const MAX_LATER = 64;

export class SecretSet {
  readonly #first: readonly Secret[];
  readonly #later = new BoundedMap<string, Secret>(MAX_LATER);
  #known: Known;

  constructor(secrets: readonly Secret[]) {
    this.#first = secrets;
    this.#known = known(secrets);
  }

  get known(): Known {
    return this.#known;
  }

  /** Adds secrets that are learned while the process runs. */
  add(secrets: readonly Secret[]): void {
    const isNew = ({ value }: Secret) =>
      !this.#later.has(value) && !this.#first.some((first) => first.value === value);
    const fresh = secrets.filter(isNew);
    if (fresh.length === 0) return;
    for (const secret of fresh) this.#later.set(secret.value, secret);
    this.#known = known([...this.#first, ...this.#later.entries().map(([, secret]) => secret)]);
  }
}

function known(secrets: readonly Secret[]): Known {
  const byValue = new Map(secrets.flatMap(formsOf).map((form) => [form.value, form]));
  const forms = [...byValue.values()];
  const longest = forms.reduce((max, { value }) => Math.max(max, value.length), 0);
  return { forms, longest, root: automaton(forms) };
}

/** A secret in plain form, JSON-escaped and URL-encoded. */
function formsOf({ name, value }: Secret): Secret[] {
  const trimmed = value.trim();
  if (trimmed.length < MIN_CHARS) return [];
  const forms = [trimmed, JSON.stringify(trimmed).slice(1, -1), encoded(trimmed)];
  return [...new Set(forms)].map((form) => ({ name, value: form }));
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A lone surrogate can't be URL-encoded.
    return text;
  }
}

function automaton(secrets: readonly Secret[]): Node {
  const root: Node = { next: new Map(), fail: undefined, depth: 0, match: undefined };
  for (const { name, value } of secrets) {
    let node = root;
    for (let i = 0; i < value.length; i++) node = childOf(node, value.charCodeAt(i));
    node.match ??= { length: value.length, name };
  }
  // Breadth first: a node's fail link is shallower, so it is complete.
  for (let open = [root]; open.length > 0; ) {
    const below: Node[] = [];
    for (const node of open)
      for (const [unit, child] of node.next) {
        child.fail = node.fail ? step(node.fail, unit) : root;
        child.match ??= child.fail.match;
        below.push(child);
      }
    open = below;
  }
  return root;
}

function childOf(node: Node, unit: number): Node {
  const known = node.next.get(unit);
  if (known) return known;
  const child: Node = { next: new Map(), fail: undefined, depth: node.depth + 1, match: undefined };
  node.next.set(unit, child);
  return child;
}

export function step(from: Node, unit: number): Node {
  for (let node: Node | undefined = from; node; node = node.fail) {
    const next = node.next.get(unit);
    if (next) return next;
    if (!node.fail) return node;
  }
  return from;
}
