/**
 * Finds configured tokens and keys in text that leaves the gateway, and replaces them. Works on whole texts and on streams,
 * across chunk boundaries. Linear in the text's length: one pass of an Aho–Corasick automaton.
 */

export interface Secret {
  /** Where it is configured, for the report. */
  name: string;
  value: string;
}

/** Called with the name of each secret that was found. */
export type SecretReport = (name: string) => void;

const REDACTED = "[REDACTED]";
/** Shorter ones would match ordinary words. */
const MIN_CHARS = 8;
const MAX_DEPTH = 50;

interface Node {
  next: Map<number, Node>;
  fail: Node | undefined;
  /** Length of the text that leads here. */
  depth: number;
  /** The longest secret that ends here. */
  found: { length: number; name: string } | undefined;
}

/** Keeps what may still become a secret: at most the longest one without its last character. */
export interface SecretStream {
  /** What can be shown by now. */
  push(chunk: string): string;
  /** The rest. */
  end(): string;
}

/** What all redactors of the same secrets share. */
interface Known {
  forms: readonly Secret[];
  longest: number;
  root: Node;
}

export class SecretRedactor {
  readonly #known: Known;
  readonly #report: SecretReport;

  constructor(secrets: readonly Secret[] | SecretRedactor, report: SecretReport = () => undefined) {
    this.#known = secrets instanceof SecretRedactor ? secrets.#known : known(secrets);
    this.#report = report;
  }

  redact(text: string): string {
    // Most texts have none: the engine's own search is much faster.
    if (!this.#isIn(text)) return text;
    const stream = this.stream();
    return stream.push(text) + stream.end();
  }

  /** Plain JSON with every text redacted, names of fields too. Without any secret it is the value itself. */
  redactJson<T>(value: T): T {
    return this.#hasSecret(value, 0) ? (this.#redacted(value, 0) as T) : value;
  }

  stream(): SecretStream {
    if (this.#known.forms.length === 0) return { push: (chunk) => chunk, end: () => "" };
    return new Stream(this.#known.root, this.#report);
  }

  /** Looks for secrets in a long text that comes in chunks; true: there is one. */
  finder(): (chunk: string) => boolean {
    const { forms, longest } = this.#known;
    let end = "";
    return (chunk) => {
      const text = end + chunk;
      end = longest > 1 ? text.slice(1 - longest) : "";
      const found = forms.find(({ value }) => text.includes(value));
      if (found) this.#report(found.name);
      return found !== undefined;
    };
  }

  #isIn(text: string): boolean {
    return this.#known.forms.some(({ value }) => text.includes(value));
  }

  /** What is too deep counts as one: it isn't looked at. */
  #hasSecret(value: unknown, depth: number): boolean {
    if (typeof value === "string") return this.#isIn(value);
    if (typeof value !== "object" || value === null || this.#known.forms.length === 0) return false;
    if (depth >= MAX_DEPTH) return true;
    if (Array.isArray(value)) return value.some((item) => this.#hasSecret(item, depth + 1));
    return Object.entries(value).some(([key, inner]) => this.#isIn(key) || this.#hasSecret(inner, depth + 1));
  }

  #redacted(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.redact(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= MAX_DEPTH) return REDACTED;
    if (Array.isArray(value)) return value.map((item) => this.#redacted(item, depth + 1));
    const entries = Object.entries(value).map(([key, inner]) => [
      this.redact(key),
      this.#redacted(inner, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }
}

function known(secrets: readonly Secret[]): Known {
  const byValue = new Map(secrets.flatMap(formsOf).map((form) => [form.value, form]));
  const forms = [...byValue.values()];
  const longest = forms.reduce((most, { value }) => Math.max(most, value.length), 0);
  return { forms, longest, root: automaton(forms) };
}

/** A secret as it is, and as it looks within JSON or an address. */
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
    // A lone surrogate can't be encoded, so no address has it.
    return text;
  }
}

function automaton(secrets: readonly Secret[]): Node {
  const root: Node = { next: new Map(), fail: undefined, depth: 0, found: undefined };
  for (const { name, value } of secrets) {
    let node = root;
    for (let i = 0; i < value.length; i++) node = childOf(node, value.charCodeAt(i));
    node.found ??= { length: value.length, name };
  }
  // Breadth first: a node's fail link is shallower, so it is complete.
  for (let open = [root]; open.length > 0; ) {
    const below: Node[] = [];
    for (const node of open)
      for (const [unit, child] of node.next) {
        child.fail = node.fail ? step(node.fail, unit) : root;
        child.found ??= child.fail.found;
        below.push(child);
      }
    open = below;
  }
  return root;
}

function childOf(node: Node, unit: number): Node {
  const known = node.next.get(unit);
  if (known) return known;
  const child: Node = { next: new Map(), fail: undefined, depth: node.depth + 1, found: undefined };
  node.next.set(unit, child);
  return child;
}

function step(from: Node, unit: number): Node {
  for (let node: Node | undefined = from; node; node = node.fail) {
    const next = node.next.get(unit);
    if (next) return next;
    if (!node.fail) return node;
  }
  return from;
}

interface Span {
  from: number;
  to: number;
}

class Stream implements SecretStream {
  readonly #report: SecretReport;
  readonly #root: Node;
  #node: Node;
  /** What hasn't been given yet; its first character is at `#base` of the whole text. */
  #held = "";
  #base = 0;
  #read = 0;
  /** Found secrets that end after `#base`, in order and without overlaps of starts. */
  #spans: Span[] = [];
  /** The end of the last secret that was replaced. */
  #coveredTo = 0;

  constructor(root: Node, report: SecretReport) {
    this.#root = root;
    this.#node = root;
    this.#report = report;
  }

  push(chunk: string): string {
    this.#held += chunk;
    for (let i = 0; i < chunk.length; i++) this.#take(chunk.charCodeAt(i));
    return this.#give(this.#read - this.#openChars());
  }

  end(): string {
    this.#node = this.#root;
    return this.#give(this.#read);
  }

  #take(unit: number): void {
    this.#node = step(this.#node, unit);
    this.#read += 1;
    const { found } = this.#node;
    if (!found) return;
    const from = this.#read - found.length;
    // A longer secret replaces those within it.
    while (this.#spans.length > 0 && this.#spans.at(-1)!.from >= from) this.#spans.pop();
    this.#spans.push({ from, to: this.#read });
    this.#report(found.name);
  }

  /** How many of the last characters may belong to a secret that isn't complete. */
  #openChars(): number {
    const node = this.#node;
    return node.next.size === 0 && node.fail ? node.fail.depth : node.depth;
  }

  /** Everything before this place of the whole text. */
  #give(until: number): string {
    const parts: string[] = [];
    let at = this.#base;
    const plainTo = (to: number) => {
      const start = Math.max(at, this.#coveredTo);
      if (start < to) parts.push(this.#held.slice(start - this.#base, to - this.#base));
      at = Math.max(at, to);
    };
    let done = 0;
    for (const { from, to } of this.#spans) {
      if (from >= until) break;
      plainTo(from);
      if (from >= this.#coveredTo) parts.push(REDACTED);
      this.#coveredTo = Math.max(this.#coveredTo, to);
      done += 1;
    }
    this.#spans.splice(0, done);
    plainTo(until);
    this.#held = this.#held.slice(until - this.#base);
    this.#base = until;
    return parts.join("");
  }
}
