/** Lines → a platform's markup. What is opened is closed in the same text. Pure. */
import { type Mark, type Span, sharedDepth } from "./blocks.js";
import type { Dialect, Frame } from "./dialect.js";
import type { Line } from "./layout.js";

export function write(lines: readonly Line[], dialect: Dialect): string {
  const out: string[] = [];
  let open: readonly Frame[] = [];
  for (const [i, line] of lines.entries()) {
    const kept = sharedDepth(open, line.frames);
    out.push(closing(open, kept), i > 0 ? "\n" : "", opening(line, kept), writeSpans(line.spans, dialect));
    open = line.frames;
  }
  out.push(closing(open, 0));
  return out.join("");
}

/** What a reader sees: bullets, but no markup. */
export function readable(lines: readonly Line[]): string {
  return lines
    .map(({ prefixes, spans }) => prefixes.join("") + spans.map(({ text }) => text).join(""))
    .join("\n");
}

function writeSpans(spans: readonly Span[], dialect: Dialect): string {
  let text = "";
  let open: readonly Mark[] = [];
  for (const span of spans) {
    text += change(open, span.marks, dialect) + dialect.escape(span.text, span);
    open = span.marks;
  }
  return text + change(open, [], dialect);
}

function change(from: readonly Mark[], to: readonly Mark[], dialect: Dialect): string {
  const shared = sharedDepth(from, to);
  let text = "";
  for (let i = from.length - 1; i >= shared; i--) text += dialect.close(from[i]!);
  for (let i = shared; i < to.length; i++) text += dialect.open(to[i]!);
  return text;
}

/** The beginning of a line: frames that it opens beyond the first `kept`, and all prefixes. */
export function opening({ frames, prefixes, isOpening }: Line, kept: number): string {
  let text = "";
  let around = "";
  for (const [i, frame] of frames.entries()) {
    if (i >= kept && !isOpening) text += indented(frame.open, around);
    text += prefixes[i]!;
    around += frame.prefix;
  }
  return text;
}

export function closing(frames: readonly Frame[], kept: number): string {
  let text = "";
  for (let i = frames.length - 1; i >= kept; i--) {
    const { close } = frames[i]!;
    if (close === "") continue;
    const around = frames.slice(0, i).map(({ prefix }) => prefix);
    text += indented(close, around.join(""));
  }
  return text;
}

function indented(text: string, prefix: string): string {
  return prefix === "" ? text : text.replaceAll("\n", `\n${prefix}`);
}
