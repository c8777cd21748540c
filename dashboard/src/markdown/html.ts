/** Markdown → safe HTML: HTML in the source is shown as text, and DOMPurify checks the result. */
import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "./escape.js";
import { EXTENSIONS } from "./extensions.js";

/** HTML tags that models write in Markdown and that can't run anything. */
const HARMLESS = /^<\/?(?:br|sub|sup|kbd|mark|details|summary)\s?\/?>$/i;
const SCHEMES = /^(?:https?|mailto):/i;
const OWN_FILE = /^\/api\/web\/files\/[\w/-]{1,200}$/;

const parser = new Marked({ gfm: true, breaks: true });
parser.use(EXTENSIONS);
parser.use({
  renderer: {
    html: ({ text }) => (HARMLESS.test(text.trim()) ? text : escapeHtml(text)),
    // The page has its own h1.
    heading(token: Tokens.Heading) {
      const level = Math.min(6, token.depth + 1);
      return `<h${level}>${this.parser.parseInline(token.tokens)}</h${level}>`;
    },
    link(token: Tokens.Link) {
      const text = this.parser.parseInline(token.tokens);
      return SCHEMES.test(token.href) ? `<a href="${escapeHtml(token.href)}">${text}</a>` : text;
    },
    // Images from other sites would reveal who reads this and when, so they become links.
    image({ href, text }: Tokens.Image) {
      const label = escapeHtml(text || href);
      if (OWN_FILE.test(href)) return `<img src="${href}" alt="${escapeHtml(text)}" loading="lazy">`;
      return SCHEMES.test(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : label;
    },
  },
});

const ALLOWED = {
  ALLOWED_TAGS: [
    ..."a b blockquote br code del details div em h2 h3 h4 h5 h6 hr i img input kbd li mark ol p pre s span".split(
      " ",
    ),
    ..."strong sub summary sup table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: [
    ..."align alt aria-label checked class data-display data-footnote data-note".split(" "),
    ..."disabled href loading src start type".split(" "),
  ],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
};

export const blocksOf = (text: string): Token[] => parser.lexer(text);

export function fragmentOf(blocks: Token[]): DocumentFragment {
  return DOMPurify.sanitize(parser.parser(blocks), ALLOWED);
}

/** Sanitizes the output of highlight.js and KaTeX. */
export function sanitized(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true, mathMl: true },
    FORBID_ATTR: ["style"],
    FORBID_TAGS: ["annotation"],
    FORBID_CONTENTS: ["annotation"],
    RETURN_DOM_FRAGMENT: true,
  });
}
