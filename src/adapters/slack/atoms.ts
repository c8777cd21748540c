/** Pieces of rendered text that a cut must not go through, with what stands around them. */

export type Mark = "*" | "_" | "~" | "`";

export interface Atom {
  /** Already in Slack's markup, escaped. */
  text: string;
  kind: "word" | "space" | "newline";
  /** May not be cut even if it is longer than a message likes: an entity, a link. */
  solid: boolean;
  /** Open around it, outermost first. */
  marks: readonly Mark[];
  /** Inside a block of code. */
  pre: boolean;
  /** Inside a quote. */
  quote: boolean;
  /** The address that it leads to, escaped; undefined: nowhere. */
  link: string | undefined;
}

export type Around = Pick<Atom, "marks" | "pre" | "quote" | "link">;
export const PLAIN: Around = { marks: [], pre: false, quote: false, link: undefined };

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

function unescapeText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Plain text → atoms. */
export function atomsOf(text: string, around: Around): Atom[] {
  const pieces = text.match(/\n|[^\S\n]+|[^\s&<>]+|[&<>]/g) ?? [];
  return pieces.map((piece) => {
    if (piece === "\n") return newline(around);
    const entity = ENTITIES.get(piece);
    if (entity !== undefined) return solid(entity, around);
    return atom(piece, piece.trim() === "" ? "space" : "word", false, around);
  });
}

/** Formatting ends with its line. */
export function newline(around: Around): Atom {
  return atom("\n", "newline", true, { ...around, marks: [], link: undefined });
}

export function solid(text: string, around: Around): Atom {
  return atom(text, "word", true, around);
}

/** Written out: copying `around` with a spread is several times slower, and a long answer has many atoms. */
function atom(text: string, kind: Atom["kind"], solid: boolean, { marks, pre, quote, link }: Around): Atom {
  return { text, kind, solid, marks, pre, quote, link };
}

/** An address too long for any message, as its letters: better plain than lost. */
export function loosened(atom: Atom): Atom[] {
  return atomsOf(unescapeText(atom.text.replace(/^<|>$/g, "")), { ...atom, marks: [], link: undefined });
}

/** Slack sees a mark only next to a word: the space between takes part where both sides do. */
export function settleSpaces(atoms: readonly Atom[]): Atom[] {
  return atoms.map((atom, i) => {
    if (atom.kind !== "space" || atom.marks.length === 0) return atom;
    const before = atoms[i - 1]?.marks ?? [];
    const after = atoms[i + 1]?.marks ?? [];
    return {
      ...atom,
      marks: atom.marks.slice(0, Math.min(common(before, after), common(before, atom.marks))),
    };
  });
}

/** How many marks two stacks share. */
export function common(a: readonly Mark[], b: readonly Mark[]): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}
