/** Blocks → lines, each with the frames around it. Constructs without markup on a platform are drawn with characters. Pure. */
import {
  type Block,
  BOLD,
  type Cell,
  DIM,
  hasMark,
  type Item,
  LABEL,
  type List,
  type Mark,
  plain,
  type Span,
  type Table,
  textOf,
} from "./blocks.js";
import type { Dialect, Frame } from "./dialect.js";
import { drawTable } from "./table.js";

export interface Line {
  /** Around it, outermost first. */
  frames: readonly Frame[];
  /** What each frame puts before this line. */
  prefixes: readonly string[];
  spans: readonly Span[];
  /** Only keeps blocks apart: no message begins or ends with it. */
  isGap?: boolean;
  /** Opens its frames by itself: the first line of a fence in Markdown source. */
  isOpening?: boolean;
}

/** A link's markup may take this share of a message; otherwise its address is spelled out. */
const MAX_LINK_SHARE = 0.75;

export function layOut(blocks: readonly Block[], dialect: Dialect, limit = Number.POSITIVE_INFINITY): Line[] {
  const layout = new Layout(dialect, limit * MAX_LINK_SHARE);
  layout.blocks(blocks, [], true);
  return layout.lines;
}

export function isCode({ frames }: Line): boolean {
  return frames.at(-1)?.kind === "code";
}

class Layout {
  readonly lines: Line[] = [];
  readonly #dialect: Dialect;
  readonly #maxLinkCost: number;
  /** Items whose bullet isn't drawn yet. */
  readonly #unstarted = new Set<Frame>();
  #gap: Line | undefined;

  constructor(dialect: Dialect, maxLinkCost: number) {
    this.#dialect = dialect;
    this.#maxLinkCost = maxLinkCost;
  }

  blocks(blocks: readonly Block[], frames: readonly Frame[], isLoose: boolean): void {
    const before = this.lines.length;
    let isTight = false;
    for (const block of blocks) {
      if (isLoose && !isTight && this.lines.length > before) this.#gap = gapIn(frames);
      this.#block(block, frames);
      isTight = block.type === "heading" && this.#dialect.hasTightHeadings === true;
    }
  }

  #block(block: Block, frames: readonly Frame[]) {
    const { heading, rule } = this.#dialect;
    switch (block.type) {
      case "paragraph":
        return this.#text(block.spans, frames);
      case "heading":
        return this.#text(heading(block.depth, block.spans), frames);
      case "code":
        return this.#code(block.text, block.language, frames);
      case "quote":
        return this.blocks(block.blocks, this.#quoted(frames), true);
      case "list":
        return this.#list(block, frames);
      case "table":
        return this.#table(block, frames);
      case "rule":
        return this.#line([plain(rule, [DIM])], frames);
    }
  }

  #line(spans: readonly Span[], frames: readonly Frame[]): void {
    if (this.#gap) this.lines.push(this.#gap);
    this.#gap = undefined;
    const prefixes = frames.map((frame) => (this.#unstarted.delete(frame) ? frame.first! : frame.prefix));
    this.lines.push({ frames, prefixes, spans });
  }

  #text(spans: readonly Span[], frames: readonly Frame[]): void {
    for (const line of linesOf(this.#withAddresses(spans)).map(trimmedEnd))
      this.#line(this.#dialect.adapt?.(line) ?? line, frames);
  }

  #code(text: string, language: string, frames: readonly Frame[]): void {
    if (text.trim() === "") return;
    const { code } = this.#dialect;
    const around =
      code.within === "all"
        ? frames
        : frames.filter(({ kind }) => kind === "quote" && code.within === "quotes");
    // A bullet that can't be before the code gets its own line.
    if (frames.some((frame) => this.#unstarted.has(frame) && !around.includes(frame))) this.#line([], frames);
    const inside = [...around, code.frame(language)];
    const marks = code.mark ? [code.mark] : [];
    for (const line of (code.adapt?.(text) ?? text).split("\n"))
      this.#line(line === "" ? [] : [plain(line, marks)], inside);
  }

  #quoted(frames: readonly Frame[]): readonly Frame[] {
    const { quote } = this.#dialect;
    if (quote.nests) return [...frames, quote.frame()];
    return frames[0]?.kind === "quote" ? frames : [quote.frame(), ...frames];
  }

  #list({ start, items, loose }: List, frames: readonly Frame[]): void {
    const { list } = this.#dialect;
    const depth = frames.filter(({ kind }) => kind === "item").length;
    const bullet = list.bullets[Math.min(depth, list.bullets.length - 1)]!;
    const digits = list.alignsNumbers ? `${(start ?? 0) + items.length - 1}`.length : 0;
    for (const [i, item] of items.entries()) {
      const sign = start === undefined ? bullet : `${`${start + i}`.padStart(digits)}.`;
      const first = `${withBox(sign, item, start === undefined && !list.native)} `;
      const frame: Frame = {
        kind: "item",
        open: "",
        close: "",
        first,
        prefix: " ".repeat(list.indent ?? first.length),
      };
      if (loose && i > 0) this.#gap = gapIn(frames);
      this.#unstarted.add(frame);
      this.blocks(item.blocks, [...frames, frame], loose);
      if (this.#unstarted.has(frame)) this.#line([], [...frames, frame]);
    }
  }

  /** In columns where they fit; rows with links stay lists, for a drawing has none. */
  #table(table: Table, frames: readonly Frame[]) {
    const { maxWidth, inCode } = this.#dialect.table;
    const drawn = hasLinks(table) ? undefined : drawTable(table, maxWidth - this.#prefixWidth(frames));
    if (!drawn) return this.#rows(table, frames);
    if (inCode) return this.#code(drawn.join("\n"), "", frames);
    for (const [i, text] of drawn.entries())
      this.#line([plain(text, i === 0 ? [BOLD] : i === 1 ? [DIM] : [])], frames);
  }

  #rows({ header, rows }: Table, frames: readonly Frame[]): void {
    for (const [i, row] of rows.entries()) {
      if (i > 0) this.#gap = gapIn(frames);
      this.blocks(rowBlocks(header, row), frames, false);
    }
  }

  #prefixWidth(frames: readonly Frame[]): number {
    return frames.reduce((sum, { prefix }) => sum + this.#dialect.cost(prefix), 0);
  }

  /** Links that the platform can't make: their words, then the address. */
  #withAddresses(spans: readonly Span[]): readonly Span[] {
    if (!spans.some((span) => hasMark(span, "link"))) return spans;
    const out: Span[] = [];
    for (let i = 0; i < spans.length; ) {
      const link = linkOf(spans[i]);
      let end = i + 1;
      while (link && linkOf(spans[end]) === link) end++;
      const words = spans.slice(i, end);
      for (const span of link ? this.#linked(link, words) : words) out.push(span);
      i = end;
    }
    return out;
  }

  #linked(link: Mark, words: readonly Span[]): readonly Span[] {
    const { canLink, marksBareLinks, cost, open, close } = this.#dialect;
    const text = textOf(words);
    const href = link.href!;
    const isBare = text === href || `mailto:${text}` === href;
    const mark = text === href ? { ...link, bare: true } : link;
    const isShort = cost(open(mark)) + cost(close(mark)) <= this.#maxLinkCost;
    const works = isShort && canLink(href, text) && (!isBare || marksBareLinks === true);
    const shown = words.map((span) => ({ ...span, marks: replaced(span.marks, link, works ? mark : LABEL) }));
    if (works || isBare) return shown;
    const outside = words[0]!.marks.slice(0, words[0]!.marks.indexOf(link));
    return [...shown, plain(` (${href})`, [...outside, DIM])];
  }
}

function linkOf(span: Span | undefined): Mark | undefined {
  return span?.marks.find(({ kind }) => kind === "link");
}

function replaced(marks: readonly Mark[], mark: Mark, other: Mark): readonly Mark[] {
  return mark === other ? marks : marks.map((each) => (each === mark ? other : each));
}

function gapIn(frames: readonly Frame[]): Line {
  const prefixes = frames.map(({ kind, prefix }) => (kind === "item" ? "" : prefix));
  return { frames, prefixes, spans: [], isGap: true };
}

function withBox(sign: string, { checked }: Item, replaces: boolean): string {
  if (checked === undefined) return sign;
  const box = checked ? "☑" : "☐";
  return replaces ? box : `${sign} ${box}`;
}

/** Styles end with their line. */
function linesOf(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const span of spans) {
    if (!span.text.includes("\n")) {
      if (span.text !== "") lines.at(-1)!.push(span);
      continue;
    }
    for (const [i, text] of span.text.split("\n").entries()) {
      if (i > 0) lines.push([]);
      if (text !== "") lines.at(-1)!.push({ ...span, text });
    }
  }
  return lines;
}

function trimmedEnd(spans: readonly Span[]): readonly Span[] {
  const last = spans.findLastIndex(({ text }) => text.trim() !== "");
  const end = spans[last]?.text.trimEnd();
  if (end === undefined) return [];
  if (last === spans.length - 1 && end === spans[last]!.text) return spans;
  return [...spans.slice(0, last), { ...spans[last]!, text: end }];
}

function hasLinks({ header, rows }: Table): boolean {
  const linked = (cell: Cell) => cell.some((span) => hasMark(span, "link"));
  return header.some(linked) || rows.some((row) => row.some(linked));
}

/** A row of a wide table: its first cell, then a list of the others with the names of their columns. */
function rowBlocks(header: readonly Cell[], [first = [], ...cells]: readonly Cell[]): Block[] {
  const items = cells.flatMap((cell, i): Item[] => {
    if (textOf(cell).trim() === "") return [];
    const spans = [...(header[i + 1] ?? []), plain(": "), ...cell];
    return [{ blocks: [{ type: "paragraph", spans }] }];
  });
  const name = first.map((span) => ({
    ...span,
    marks: [BOLD, ...span.marks.filter((mark) => mark !== BOLD)],
  }));
  const list: Block = { type: "list", loose: false, items };
  return [{ type: "paragraph", spans: name }, ...(items.length > 0 ? [list] : [])];
}
