/** Markdown without its notation: blocks of styled text. */

export interface Mark {
  kind:
    | "bold"
    | "italic"
    | "strike"
    | "code"
    | "link"
    /** The words of a link whose address is spelled out or the same as its words. */
    | "label"
    /** Less important than the text around it. */
    | "dim";
  /** Of links. */
  href?: string;
  /** A link whose words are its address. */
  bare?: boolean;
}

export const BOLD: Mark = { kind: "bold" };
export const ITALIC: Mark = { kind: "italic" };
export const STRIKE: Mark = { kind: "strike" };
export const CODE: Mark = { kind: "code" };
export const LABEL: Mark = { kind: "label" };
export const DIM: Mark = { kind: "dim" };

/** Text in one style. */
export interface Span {
  text: string;
  /** Outermost first. The same object is the same mark, continued. */
  marks: readonly Mark[];
  /** Characters that would be markup without an escape. */
  literal?: boolean;
  /** Must not be split. */
  solid?: boolean;
}

export type Align = "left" | "right" | "center" | null;

export type Block =
  | { type: "paragraph"; spans: readonly Span[] }
  | { type: "heading"; depth: number; spans: readonly Span[] }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; blocks: readonly Block[] }
  | List
  | Table
  | { type: "rule" };

export interface List {
  type: "list";
  /** Of the first item; undefined: bullets. */
  start?: number | undefined;
  /** With blank lines between its blocks. */
  loose: boolean;
  items: readonly Item[];
}

export interface Item {
  /** Of a task. */
  checked?: boolean | undefined;
  blocks: readonly Block[];
}

export type Cell = readonly Span[];

export interface Table {
  type: "table";
  header: readonly Cell[];
  rows: readonly (readonly Cell[])[];
  align: readonly Align[];
}

export function plain(text: string, marks: readonly Mark[] = []): Span {
  return { text, marks };
}

export function textOf(spans: readonly Span[]): string {
  let text = "";
  for (const span of spans) text += span.text;
  return text;
}

export function hasMark({ marks }: Span, kind: Mark["kind"]): boolean {
  return marks.some((mark) => mark.kind === kind);
}

/** Bold in bold is bold. */
export function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  return marks.some(({ kind }) => kind === mark.kind) ? marks : [...marks, mark];
}

/** How many marks or frames two stacks share. */
export function sharedDepth<T>(a: readonly T[], b: readonly T[]): number {
  let depth = 0;
  while (depth < a.length && a[depth] === b[depth]) depth++;
  return depth;
}
