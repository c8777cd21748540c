import { graphemes } from "../../graphemes.js";
/**
 * Rendered lines → messages within the limit. A cut falls between lines if it can, else at a space, else between
 * characters; never into an atom (a link, a mention). Marks that a cut goes through are closed and opened again, and so
 * are code blocks and quotes.
 */

/** Text in one style. */
export interface Run {
  text: string;
  /** What opens and closes around it, outermost first: "**", "`". */
  marks: readonly string[];
  /** Makes no sense in two pieces. */
  atom?: boolean;
}

export interface Line {
  /** What it begins with: "- ", "> ", "## ". */
  lead: string;
  /** What it begins with again in the next message. */
  hang: string;
  runs: readonly Run[];
  fence?: Fence;
}

/** A code block; lines of one block share the object. */
export interface Fence {
  info: string;
  /** Before its lines, the marks included: a block in a quote. */
  prefix: string;
}

/** Don't begin a long line in a rest of this size. */
const LEAST_ROOM = 100;

export function packLines(lines: readonly Line[], limit: number): string[] {
  const packer = new Packer(limit);
  for (const line of lines) packer.add(line);
  return packer.end();
}

class Packer {
  readonly #limit: number;
  readonly #parts: string[] = [];
  #text = "";
  /** The code block that is open in this part. */
  #open: Fence | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(line: Line): void {
    if (this.#open && this.#open !== line.fence) this.#closeFence();
    const blank = line.runs.length === 0 && !line.fence;
    if (blank && this.#text === "") return;
    const body = line.lead + emit(line.runs);
    if (body.length > this.#room(line)) {
      if (blank) return;
      if (body.length > this.#freshRoom(line)) {
        this.#addLong(line);
        return;
      }
      this.#break();
    }
    this.#append(line, body);
  }

  end(): string[] {
    this.#break();
    return this.#parts;
  }

  #addLong(line: Line): void {
    /** The last one comes first: what is taken is taken from the end. */
    const rest = line.runs.toReversed();
    let lead = line.lead;
    while (!fits(rest, this.#room(line) - lead.length)) {
      const room = this.#room(line) - lead.length;
      if (room < Math.min(LEAST_ROOM, this.#limit / 4) && this.#text !== "") {
        this.#break();
        continue;
      }
      this.#append(line, lead + emit(takeRuns(rest, Math.max(1, room), line.fence !== undefined)));
      this.#break();
      lead = line.hang;
    }
    if (rest.length > 0) this.#append(line, lead + emit(rest.toReversed()));
  }

  /** How much of the line's own text this part still takes. */
  #room(line: Line): number {
    const newline = this.#text === "" ? 0 : 1;
    return this.#limit - this.#text.length - newline - this.#fenceCost(line, this.#open !== line.fence);
  }

  #freshRoom(line: Line): number {
    return this.#limit - this.#fenceCost(line, true);
  }

  #fenceCost({ fence }: Line, opens: boolean): number {
    if (!fence) return 0;
    return closing(fence).length + (opens ? opening(fence).length : 0);
  }

  #append(line: Line, body: string): void {
    if (this.#text !== "") this.#text += "\n";
    if (line.fence && this.#open !== line.fence) this.#text += opening(line.fence);
    this.#open = line.fence;
    this.#text += body;
  }

  #closeFence(): void {
    if (this.#open) this.#text += closing(this.#open);
    this.#open = undefined;
  }

  #break(): void {
    this.#closeFence();
    const text = this.#text.trimEnd();
    if (text.trim() !== "") this.#parts.push(text);
    this.#text = "";
  }
}

const opening = ({ prefix, info }: Fence) => `${prefix}\`\`\`${info}\n`;
const closing = ({ prefix }: Fence) => `\n${prefix}\`\`\``;

/** Runs → text; only marks that change are closed and opened. */
export function emit(runs: readonly Run[]): string {
  let text = "";
  let open: readonly string[] = [];
  for (const run of runs) {
    text += change(open, run.marks) + run.text;
    open = run.marks;
  }
  return text + change(open, []);
}

function change(from: readonly string[], to: readonly string[]): string {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  return from.slice(same).reverse().join("") + to.slice(same).join("");
}

/** What `emit` makes of runs, counted run by run. */
class Measure {
  #written = 0;
  #open: readonly string[] = [];

  /** With this run as the last one, and everything closed. */
  with(run: Run): number {
    const changed = change(this.#open, run.marks).length;
    return this.#written + changed + run.text.length + change(run.marks, []).length;
  }

  add(run: Run): void {
    this.#written += change(this.#open, run.marks).length + run.text.length;
    this.#open = run.marks;
  }
}

/** Whether the runs, the last one first, are within `room`. Looks at no more of them than have room. */
function fits(reversed: readonly Run[], room: number): boolean {
  const measure = new Measure();
  let length = 0;
  for (let i = reversed.length - 1; i >= 0 && length <= room; i--) {
    length = measure.with(reversed[i]!);
    measure.add(reversed[i]!);
  }
  return length <= room;
}

/** Takes the longest beginning whose text, marks closed, is within `room`. Always takes something. */
function takeRuns(reversed: Run[], room: number, code: boolean): Run[] {
  const head: Run[] = [];
  const measure = new Measure();
  for (let run = reversed.pop(); run !== undefined; run = reversed.pop()) {
    const length = measure.with(run);
    if (length <= room) {
      head.push(run);
      measure.add(run);
      continue;
    }
    const left = room - (length - run.text.length);
    if (head.length > 0 && (run.atom || left < 1)) {
      reversed.push(run);
      return head;
    }
    const [first, second] = cutText(run.text, Math.max(1, left), code);
    if (first !== "") head.push({ ...run, text: first });
    if (second !== "") reversed.push({ ...run, text: second });
    return head;
  }
  return head;
}

function cutText(text: string, most: number, code: boolean): [string, string] {
  const space = text.lastIndexOf(" ", most);
  if (!code && space > most / 2) return [text.slice(0, space), text.slice(space + 1)];
  const end = safeEnd(text, most);
  return [text.slice(0, end), text.slice(end)];
}

/** Longer clusters are cut all the same, between code points. */
const LOOKAROUND = 64;

/** The last place up to `most` that isn't within a character or between a backslash and what it protects. */
function safeEnd(text: string, most: number): number {
  if (most >= text.length) return text.length;
  const from = Math.max(0, most - LOOKAROUND);
  const start = isLowSurrogate(text, from) ? from + 1 : from;
  const cluster = graphemes(text.slice(start, most + LOOKAROUND)).containing(most - start);
  let end = start + (cluster?.index ?? most - start);
  if (end <= start) end = isLowSurrogate(text, most) ? most - 1 : most;
  if (endsInBackslash(text, end)) end -= 1;
  return end > 0 ? end : isLowSurrogate(text, 1) ? 2 : 1;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function endsInBackslash(text: string, end: number): boolean {
  let slashes = 0;
  while (slashes < LOOKAROUND && text[end - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}
