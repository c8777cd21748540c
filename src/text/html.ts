/** What the dialects share that write HTML. Pure. */
import { CODE, hasMark, type Mark, type Span } from "./blocks.js";
import { BULLETS, boldHeading, type Dialect, escapeHtml, RULE } from "./dialect.js";

export interface HtmlStyles {
  /** The element of a mark; a mark without one isn't shown. */
  elements: Partial<Record<Mark["kind"], string>>;
  /** Which other styles code may have. A link's address matters more than its style. */
  onCode: "all" | "links" | "none";
}

type HtmlParts = Pick<Dialect, "escape" | "open" | "close" | "adapt" | "heading" | "quote" | "list" | "rule">;

export function htmlDialect({ elements, onCode }: HtmlStyles): HtmlParts {
  const adapt = (spans: readonly Span[]) =>
    spans.map((span) => (hasMark(span, "code") ? withoutStyles(span, onCode === "links") : span));
  return {
    escape: escapeHtml,
    open: (mark) =>
      mark.kind === "link" ? `<a href="${escapeAttribute(mark.href!)}">` : tag("<", elements[mark.kind]),
    close: ({ kind }) => (kind === "link" ? "</a>" : tag("</", elements[kind])),
    ...(onCode === "all" ? {} : { adapt }),
    heading: boldHeading,
    quote: {
      frame: () => ({ kind: "quote", open: "<blockquote>", close: "</blockquote>", prefix: "" }),
      nests: false,
    },
    list: { bullets: BULLETS },
    rule: RULE,
  };
}

function tag(bracket: string, element: string | undefined): string {
  return element === undefined ? "" : `${bracket}${element}>`;
}

function withoutStyles(span: Span, linksCode: boolean): Span {
  const links = span.marks.filter(({ kind }) => kind === "link");
  return { ...span, marks: linksCode || links.length === 0 ? [...links, CODE] : links };
}

export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('"', "&quot;");
}
