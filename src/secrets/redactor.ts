/**
 * Finds configured tokens and keys in text that leaves the gateway, and replaces them. Works on whole texts
 * and on streams, across chunk boundaries. Linear in the text's length: one pass of an Aho–Corasick
 * automaton.
 */

import { type Known, type Node, type Secret, SecretSet, step } from "./secret-set.js";

/** Called with the name of each secret that was found. */
export type SecretReport = (name: string) => void;

const REDACTED = "[REDACTED]";
const MAX_DEPTH = 50;

/** Holds back text that may be the start of a secret: always less than the longest secret. */
export interface SecretStream {
  /** The text that is safe to show. */
  push(chunk: string): string;
  /** The rest. */
  end(): string;
}

export class SecretRedactor {
  readonly #secrets: SecretSet;
  readonly #report: SecretReport;

  constructor(secrets: readonly Secret[] | SecretSet, report: SecretReport = () => undefined) {
    this.#secrets = secrets instanceof SecretSet ? secrets : new SecretSet(secrets);
    this.#report = report;
  }

  get #known(): Known {
    return this.#secrets.known;
  }

  redact(text: string): string {
    // Most texts have no secrets, and the engine's own search is much faster.
    if (!this.#isIn(text)) return text;
    const stream = this.stream();
    return stream.push(text) + stream.end();
  }

  /** Redacts every string in plain JSON, including field names. Returns the same value without secrets. */
  redactJson<T>(value: T): T {
    return this.#hasSecret(value, 0) ? (this.#redacted(value, 0) as T) : value;
  }

  /** Uses the secrets that are known when the stream starts. */
  stream(): SecretStream {
    if (this.#known.forms.length === 0) return { push: (chunk) => chunk, end: () => "" };
    return new Stream(this.#known.root, this.#report);
  }

  /** Searches a long text for secrets, chunk by chunk. True if there is one. */
  finder(): (chunk: string) => boolean {
    const { forms, longest } = this.#known;
    let end = "";
    return (chunk) => {
      const text = end + chunk;
      end = longest > 1 ? text.slice(1 - longest) : "";
      const secret = forms.find(({ value }) => text.includes(value));
      if (secret) this.#report(secret.name);
      return secret !== undefined;
    };
  }

  #isIn(text: string): boolean {
    return this.#known.forms.some(({ value }) => text.includes(value));
  }

  /** Values nested too deeply aren't searched and count as secret. */
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

interface Span {
  from: number;
  to: number;
}

class Stream implements SecretStream {
  readonly #report: SecretReport;
  readonly #root: Node;
  #node: Node;
  /** Text that hasn't been returned yet; it starts at offset `#base` of the whole text. */
  #held = "";
  #base = 0;
  #read = 0;
  /** Secrets found that end after `#base`, ordered by start. */
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
    const { match } = this.#node;
    if (!match) return;
    const from = this.#read - match.length;
    // A longer secret replaces those within it.
    while (this.#spans.length > 0 && this.#spans.at(-1)!.from >= from) this.#spans.pop();
    this.#spans.push({ from, to: this.#read });
    this.#report(match.name);
  }

  /** How many trailing characters may belong to an incomplete secret. */
  #openChars(): number {
    const node = this.#node;
    return node.next.size === 0 && node.fail ? node.fail.depth : node.depth;
  }

  /** Returns everything before this offset of the whole text. */
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
