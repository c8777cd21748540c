/** Atoms → one message's text: marks opened and closed, fences, quotes. */
import { type Atom, common, type Mark } from "./atoms.js";

const FENCE_OPEN = "```\n";
const FENCE_CLOSE = "\n```";
export const QUOTE = "> ";
/** Slack takes a mark only at the edge of a word; this makes an edge that nobody sees. */
const EDGE = "\u200b";
/** The most that may stand around an atom: everything closed before it, opened, and closed again. */
const EDGE_COST = 2;

export function emit(atoms: readonly Atom[]): string {
  const page = new Page();
  for (const atom of atoms) page.add(atom);
  return page.end();
}

class Page {
  /** Joined at the end: asking a growing string for its last letter copies all of it. */
  readonly #written: string[] = [];
  #last: string | undefined;
  #marks: readonly Mark[] = [];
  #link: string | undefined;
  #pre = false;
  #lineStart = true;

  add(atom: Atom): void {
    const closed = this.#close(atom);
    if (this.#pre && !atom.pre) this.#closeFence(atom);
    if (this.#lineStart && atom.quote && !atom.pre) this.#write(QUOTE);
    if (atom.pre && !this.#pre) this.#openFence();
    if (closed && isWordy(atom.text[0])) this.#write(EDGE);
    if (!atom.pre) this.#open(atom);
    this.#write(atom.text);
    this.#lineStart = atom.kind === "newline";
  }

  end(): string {
    this.#close({ marks: [], link: undefined, pre: false });
    if (this.#pre) this.#write(FENCE_CLOSE);
    return this.#written.join("");
  }

  #write(text: string): void {
    if (text === "") return;
    this.#written.push(text);
    this.#last = text.at(-1);
  }

  /** What the next atom doesn't share; true if a mark was closed. */
  #close({ marks, link, pre }: Pick<Atom, "marks" | "link" | "pre">): boolean {
    if (this.#marks.length === 0 && this.#link === undefined) return false;
    const kept = pre ? 0 : common(this.#marks, marks);
    const closing = this.#marks.length > kept;
    if (this.#link !== undefined && (closing || pre || link !== this.#link || marks.length > kept)) {
      this.#write(">");
      this.#link = undefined;
    }
    this.#write(this.#marks.slice(kept).reverse().join(""));
    this.#marks = this.#marks.slice(0, kept);
    return closing;
  }

  #open({ marks, link }: Atom): void {
    const opened = marks.slice(this.#marks.length);
    if (opened.length > 0 && this.#marks.length === 0 && isWordy(this.#last)) this.#write(EDGE);
    this.#write(opened.join(""));
    this.#marks = marks;
    if (link === undefined || link === this.#link) return;
    this.#write(`<${link}|`);
    this.#link = link;
  }

  #openFence(): void {
    this.#write((this.#lineStart ? "" : "\n") + FENCE_OPEN);
    this.#pre = true;
  }

  #closeFence({ kind }: Atom): void {
    this.#write(FENCE_CLOSE);
    this.#pre = false;
    this.#lineStart = kind !== "newline";
    if (this.#lineStart) this.#write("\n");
  }
}

function isWordy(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}\p{M}]/u.test(char);
}

/** At most what `emit` adds for an atom after the one before it, closing included. */
export function cost(atom: Atom, before: Atom | undefined): number {
  const shared = before && before.pre === atom.pre ? common(before.marks, atom.marks) : 0;
  const opened = atom.marks.length - shared;
  const changed = opened > 0 || (before?.marks.length ?? 0) > shared;
  const fence = atom.pre && !before?.pre ? FENCE_OPEN.length + FENCE_CLOSE.length + 2 : 0;
  const quote =
    atom.quote && (before === undefined || before.kind === "newline" || before.pre) ? QUOTE.length : 0;
  const linked =
    atom.link !== undefined && (changed || before?.link !== atom.link) ? atom.link.length + 3 : 0;
  return atom.text.length + 2 * opened + (changed ? EDGE_COST : 0) + fence + quote + linked;
}
