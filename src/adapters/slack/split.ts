/** Atoms → parts that fit: cut at a line, else at a space, else inside a word, never inside an atom that is solid. */

import { graphemes } from "../../graphemes.js";
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
  /** The last one comes first: what is taken is taken from the end. */
  const rest = whole.toReversed();
  while (rest.length > 0) {
    const part = takePart(rest, (parts.length === 0 ? firstLimit : shape.limit) - room);
    if (part.length > 0) parts.push(part);
  }
  return parts;
}

/** Each part looks at no more atoms than fit into it, and one. */
function takePart(reversed: Atom[], room: number): Atom[] {
  const { taken, fits } = takeEnough(reversed, room);
  if (fits === taken.length) return trimmed(taken);
  if (fits === 0) {
    reversed.push(taken[0]!);
    return cutWord(reversed, room);
  }
  const at = breakBefore(taken, fits);
  putBack(taken.slice(at), reversed);
  dropBlanks(reversed);
  return trimmed(taken.slice(0, at));
}

/** All that fit, and the first that doesn't. */
function takeEnough(reversed: Atom[], room: number): { taken: Atom[]; fits: number } {
  const taken: Atom[] = [];
  let used = 0;
  for (let atom = reversed.pop(); atom !== undefined; atom = reversed.pop()) {
    used += cost(atom, taken.at(-1));
    taken.push(atom);
    if (used > room) return { taken, fits: taken.length - 1 };
  }
  return { taken, fits: taken.length };
}

function putBack(atoms: readonly Atom[], reversed: Atom[]): void {
  for (const atom of atoms.toReversed()) reversed.push(atom);
}

/** Blanks at the start say nothing, but the indentation of code stays. */
function dropBlanks(reversed: Atom[]): void {
  const blanks: Atom[] = [];
  while (reversed.length > 0 && reversed.at(-1)!.kind !== "word") blanks.push(reversed.pop()!);
  if (!reversed.at(-1)?.pre) return;
  const indent = blanks.slice(blanks.findLastIndex((atom) => atom.kind !== "space" || !atom.pre) + 1);
  putBack(indent, reversed);
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
function cutWord(reversed: Atom[], room: number): Atom[] {
  const first = reversed.pop()!;
  if (first.solid && first.text.length > LONGEST_ENTITY) {
    putBack(loosened(first), reversed);
    return [];
  }
  const around = cost(first, undefined) - first.text.length;
  // The address alone fills the message.
  if (first.link !== undefined && around + LONGEST_ENTITY > room) {
    putBack(unlinked(first, first.link, reversed), reversed);
    return [];
  }
  const size = first.solid ? first.text.length : cutAt(first.text, Math.max(1, room - around));
  const tail = { ...first, text: first.text.slice(size) };
  if (tail.text !== "") reversed.push(tail);
  return [{ ...first, text: first.text.slice(0, size) }];
}

const LONGEST_ENTITY = "&amp;".length;

/** The label as plain text, the address after it. */
function unlinked(first: Atom, link: string, reversed: Atom[]): Atom[] {
  const label = [first];
  while (reversed.at(-1)?.link === link) label.push(reversed.pop()!);
  const address = loosened({ ...label.at(-1)!, text: ` (${link})` });
  return [...label.map((atom) => ({ ...atom, link: undefined })), ...address];
}

const LOOK_BACK = 64;

/** Not inside a surrogate pair, nor between an emoji and its skin tone where that can be helped. */
function cutAt(text: string, most: number): number {
  if (most >= text.length) return text.length;
  const from = Math.max(0, most - LOOK_BACK);
  const safeFrom = from + (isLowSurrogate(text, from) ? 1 : 0);
  const cluster = graphemes(text.slice(safeFrom, most + LOOK_BACK)).containing(most - safeFrom);
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
