/** HTML → the article in it, as Markdown. Runs in a thread: hostile pages can take long, and the parser is large. */
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";

export interface Article {
  title: string;
  markdown: string;
}

/** A page with more elements is handled as plain text. */
const MAX_ELEMENTS = 100_000;

/** Undefined if the page has no article. */
export function articleOf(html: string, url: string): Article | undefined {
  const { document } = parseHTML(html);
  const reader = new Readability<Node>(document as never, {
    maxElemsToParse: MAX_ELEMENTS,
    serializer: (element) => element as unknown as Node,
  });
  const found = reader.parse();
  if (!found?.content) return undefined;
  return { title: (found.title ?? "").trim(), markdown: markdownOf(found.content, url) };
}

/** What is used of a DOM node. */
interface Node {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  firstChild: Node | null;
  nextSibling: Node | null;
  parentNode: Node | null;
  getAttribute?(name: string): string | null;
}

const TEXT = 3;
const ELEMENT = 1;
const BLOCK = /^(?:P|DIV|SECTION|ARTICLE|UL|OL|TABLE|BLOCKQUOTE|FIGURE|MAIN|HEADER|FOOTER|DL)$/;

/** Walks without recursion: pages may nest deeper than the stack. */
function markdownOf(root: Node, url: string): string {
  const out = new Writer(url);
  let node: Node | null = root;
  while (node) {
    out.enter(node);
    if (node.firstChild) {
      node = node.firstChild;
      continue;
    }
    while (node) {
      out.leave(node);
      if (node === root) return out.text();
      if (node.nextSibling) {
        node = node.nextSibling;
        break;
      }
      node = node.parentNode;
    }
  }
  return out.text();
}

class Writer {
  readonly #parts: string[] = [];
  readonly #url: string;
  #preDepth = 0;

  constructor(url: string) {
    this.#url = url;
  }

  enter(node: Node): void {
    if (node.nodeType === TEXT) {
      const text = node.nodeValue ?? "";
      this.#parts.push(this.#preDepth > 0 ? text : text.replace(/\s+/g, " "));
      return;
    }
    if (node.nodeType !== ELEMENT) return;
    const name = node.nodeName.toUpperCase();
    if (name === "PRE") this.#preDepth += 1;
    this.#parts.push(OPEN[name] ?? (BLOCK.test(name) ? "\n\n" : ""));
    if (name === "A" && this.#hrefOf(node)) this.#parts.push("[");
  }

  leave(node: Node): void {
    if (node.nodeType !== ELEMENT) return;
    const name = node.nodeName.toUpperCase();
    if (name === "PRE") this.#preDepth -= 1;
    const href = name === "A" ? this.#hrefOf(node) : undefined;
    if (href) this.#parts.push(`](${href})`);
    this.#parts.push(CLOSE[name] ?? (BLOCK.test(name) ? "\n\n" : ""));
  }

  text(): string {
    const lines = this.#parts.join("").split("\n");
    const trimmed = lines.map((line) => line.trimEnd());
    return trimmed
      .filter((line, i) => line !== "" || (i > 0 && trimmed[i - 1] !== ""))
      .join("\n")
      .trim();
  }

  #hrefOf(node: Node): string | undefined {
    const href = node.getAttribute?.("href");
    if (!href || href.startsWith("#") || href.length > 2000 || !URL.canParse(href, this.#url))
      return undefined;
    const { href: absolute, protocol } = new URL(href, this.#url);
    return protocol === "https:" || protocol === "http:" ? absolute : undefined;
  }
}

const OPEN: Readonly<Record<string, string>> = {
  H1: "\n\n# ",
  H2: "\n\n## ",
  H3: "\n\n### ",
  H4: "\n\n#### ",
  H5: "\n\n##### ",
  H6: "\n\n###### ",
  LI: "\n- ",
  PRE: "\n\n```\n",
  BR: "\n",
  HR: "\n\n---\n\n",
  TR: "\n| ",
};

const CLOSE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["H1", "H2", "H3", "H4", "H5", "H6"].map((name) => [name, "\n\n"])),
  PRE: "\n```\n\n",
  TD: " | ",
  TH: " | ",
};
