/** Atoms → parts that fit: cut at a line, else at a space, else inside a word, never inside an atom that is solid. */
import { type Atom, loosened } from "./atoms.js";
import { cost, emit } from "./emit.js";

/** Room for " (99/99)" and a little more. */
const MARKER_ROOM = 12;

export interface SplitShape {
  limit: number;
  /** The first part may have less room than the others. */
  firstLimit?: number;
  /** Say "(i/n)" at the end of each part. */
  marker: boolean;
}

export interface Part {
  text: string;
  /** The same in pieces of at most so many characters, each valid by itself. */
  pieces(limit: number): string[];
}

export function splitAtoms(atoms: readonly Atom[], shape: SplitShape): Part[] {
  const cuts = cutAll(atoms, shape);
  return cuts.map((part, i) => {
    const marker = shape.marker && cuts.length > 1 ? ` (${i + 1}/${cuts.length})` : "";
    return { text: emit(part) + marker, pieces: (limit) => piecesOf(part, limit, marker) };
  });
}

function piecesOf(atoms: readonly Atom[], limit: number, marker: string): string[] {
  const pieces = cutAll(atoms, { limit: limit - MARKER_ROOM, marker: false }).map(emit);
  return pieces.map((piece, i) => (i === pieces.length - 1 ? piece + marker : piece));
}

function cutAll(atoms: readonly Atom[], shape: SplitShape): Atom[][] {
  const whole = trimmed(atoms);
  if (whole.length === 0) return [];
  const firstLimit = shape.firstLimit ?? shape.limit;
  if (emit(whole).length <= firstLimit) return [whole];
  const room = shape.marker ? MARKER_ROOM : 0;
  const parts: Atom[][] = [];
  let rest: readonly Atom[] = whole;
  while (rest.length > 0) {
    const { part, after } = cut(rest, (parts.length === 0 ? firstLimit : shape.limit) - room);
    if (part.length > 0) parts.push(part);
    rest = after;
  }
  return parts;
}

interface Cut {
  part: Atom[];
  after: readonly Atom[];
}

function cut(atoms: readonly Atom[], room: number): Cut {
  const fits = countThatFits(atoms, room);
  if (fits === atoms.length) return { part: trimmed(atoms), after: [] };
  if (fits === 0) return cutWord(atoms, room);
  const at = breakBefore(atoms, fits);
  return { part: trimmed(atoms.slice(0, at)), after: skipBlank(atoms.slice(at)) };
}

function countThatFits(atoms: readonly Atom[], room: number): number {
  let used = 0;
  for (const [i, atom] of atoms.entries()) {
    used += cost(atom, atoms[i - 1]);
    if (used > room) return i;
  }
  return atoms.length;
}

/** A line's end in the second half, else a space, else wherever the room ends. */
function breakBefore(atoms: readonly Atom[], fits: number): number {
  const ending = (kind: Atom["kind"]) => {
    for (let i = fits; i > 0; i--) if (atoms[i]?.kind === kind) return i;
    return 0;
  };
  const line = ending("newline");
  if (line >= fits / 2) return line;
  return ending("space") || line || fits;
}

/** One word is longer than the room. */
function cutWord(atoms: readonly Atom[], room: number): Cut {
  const [first, ...others] = atoms as [Atom, ...Atom[]];
  if (first.solid && first.text.length > LONGEST_ENTITY)
    return { part: [], after: [...loosened(first), ...others] };
  const around = cost(first, undefined) - first.text.length;
  // The address alone fills the message.
  if (first.link !== undefined && around + LONGEST_ENTITY > room)
    return { part: [], after: unlinked(atoms, first.link) };
  const size = first.solid ? first.text.length : cutAt(first.text, Math.max(1, room - around));
  const head = { ...first, text: first.text.slice(0, size) };
  const tail = { ...first, text: first.text.slice(size) };
  return { part: [head], after: tail.text === "" ? others : [tail, ...others] };
}

const LONGEST_ENTITY = "&amp;".length;

/** The label as plain text, the address after it. */
function unlinked(atoms: readonly Atom[], link: string): Atom[] {
  const end = atoms.findIndex((atom) => atom.link !== link);
  const label = atoms.slice(0, end < 0 ? atoms.length : end).map((atom) => ({ ...atom, link: undefined }));
  const last = label.at(-1)!;
  return [...label, ...loosened({ ...last, text: ` (${link})` }), ...atoms.slice(label.length)];
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const LOOK_BACK = 64;

/** Not inside a surrogate pair, nor between an emoji and its skin tone where that can be helped. */
function cutAt(text: string, most: number): number {
  if (most >= text.length) return text.length;
  const from = Math.max(0, most - LOOK_BACK);
  const safeFrom = from + (isLowSurrogate(text, from) ? 1 : 0);
  const cluster = graphemes.segment(text.slice(safeFrom, most + LOOK_BACK)).containing(most - safeFrom);
  const at = safeFrom + (cluster?.index ?? 0);
  if (at > 0) return at;
  return most > 1 && isLowSurrogate(text, most) ? most - 1 : Math.max(most, isLowSurrogate(text, 1) ? 2 : 1);
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Blanks at an edge say nothing, but the indentation of code stays. */
function skipBlank(atoms: readonly Atom[]): readonly Atom[] {
  const word = atoms.findIndex((atom) => atom.kind === "word");
  if (word < 0) return [];
  if (!atoms[word]!.pre) return atoms.slice(word);
  let at = word;
  while (at > 0 && atoms[at - 1]!.kind === "space" && atoms[at - 1]!.pre) at--;
  return atoms.slice(at);
}

function trimmed(atoms: readonly Atom[]): Atom[] {
  const end = atoms.findLastIndex((atom) => atom.kind === "word") + 1;
  return [...skipBlank(atoms.slice(0, end))];
}
