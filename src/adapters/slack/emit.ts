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
  let out = "";
  let marks: readonly Mark[] = [];
  let pre = false;
  let lineStart = true;
  const close = (next: readonly Mark[]) => {
    const kept = common(marks, next);
    out += marks.slice(kept).reverse().join("");
    const closed = marks.length > kept;
    marks = marks.slice(0, kept);
    return closed;
  };
  for (const atom of atoms) {
    const closed = close(atom.pre ? [] : atom.marks);
    if (pre && !atom.pre) {
      out += FENCE_CLOSE;
      pre = false;
      lineStart = false;
      if (atom.kind !== "newline") {
        out += "\n";
        lineStart = true;
      }
    }
    if (lineStart && atom.quote && !atom.pre) out += QUOTE;
    if (atom.pre && !pre) {
      out += (lineStart ? "" : "\n") + FENCE_OPEN;
      pre = true;
    }
    if (closed && isWordy(atom.text[0])) out += EDGE;
    const opened = atom.pre ? [] : atom.marks.slice(marks.length);
    if (opened.length > 0) {
      if (marks.length === 0 && isWordy(out.at(-1))) out += EDGE;
      out += opened.join("");
      marks = atom.marks;
    }
    out += atom.text;
    lineStart = atom.kind === "newline";
  }
  close([]);
  return pre ? out + FENCE_CLOSE : out;
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
  return atom.text.length + 2 * opened + (changed ? EDGE_COST : 0) + fence + quote;
}
