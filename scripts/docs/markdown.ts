/** One Markdown file → the HTML of its page, its headings, the files it links to, and its text for the search. */
import { Marked, type RendererObject, type Token, type Tokens } from "marked";
import { escapeHtml } from "./escape.js";
import { linkBetween, readLink } from "./links.js";
import { slugger } from "./slug.js";

export interface Heading {
  depth: number;
  text: string;
  id: string;
}

export interface Section {
  heading: Heading;
  text: string;
}

export interface Rendered {
  title: string;
  html: string;
  headings: Heading[];
  sections: Section[];
  /** Files of the repository that the page links to or shows. */
  links: { file: string; anchor: string }[];
}

const LONG_CODE = 15;

/** `pictureOf` gives the SVG of a diagram, which becomes part of the page; undefined for other pictures. */
export function renderPage(
  markdown: string,
  file: string,
  pictureOf: (file: string) => string | undefined,
): Rendered {
  const tokens = new Marked().lexer(markdown.replace(/<!--[\s\S]*?-->/g, ""));
  const headings = headingsOf(tokens);
  const links: Rendered["links"] = [];
  const follow = (href: string) => {
    const link = readLink(href, file);
    if (link.file === undefined) return href;
    links.push({ file: link.file, anchor: link.anchor });
    return linkBetween(file, link.file, link.anchor);
  };
  const html = new Marked({ renderer: rendererOf(headings, follow, file, pictureOf) }).parser(tokens);
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? file,
    html,
    headings,
    sections: sectionsOf(tokens, headings),
    links,
  };
}

function rendererOf(
  headings: readonly Heading[],
  follow: (href: string) => string,
  file: string,
  pictureOf: (file: string) => string | undefined,
): RendererObject {
  let at = 0;
  return {
    heading({ tokens, depth }) {
      const { id } = headings[at++]!;
      const text = this.parser.parseInline(tokens);
      const anchor =
        depth === 1 ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${id}">${text}${anchor}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${escapeHtml(follow(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      const { file: target } = readLink(href, file);
      const drawing = target === undefined ? undefined : pictureOf(target);
      if (drawing !== undefined)
        return `<span class="scroll diagram" role="group" tabindex="0" aria-label="Diagram">${drawing}</span>`;
      return `<img src="${escapeHtml(follow(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    code({ text, lang = "" }) {
      const language = lang.split(" ", 1)[0]!;
      const name = language === "" ? "" : ` data-language="${escapeHtml(language)}"`;
      return `<pre tabindex="0"${name}><code>${escapeHtml(text)}\n</code></pre>\n`;
    },
    codespan({ text }) {
      return `<code>${breakable(escapeHtml(text))}</code>`;
    },
    table({ header, rows }) {
      const line = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((cell) => cellOf(this.parser.parseInline(cell.tokens), tag)).join("")}</tr>`;
      const head = `<thead>${line(header, "th")}</thead>`;
      const body = `<tbody>${rows.map((row) => line(row, "td")).join("\n")}</tbody>`;
      return `<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>${head}${body}</table></div>\n`;
    },
  };
}

/** Long names may break behind a point, a slash or an underscore. */
function breakable(code: string): string {
  return code.length > LONG_CODE ? code.replaceAll(/[._/](?=\w)/g, "$&<wbr>") : code;
}

/** An empty heading says nothing to a screen reader. */
function cellOf(html: string, tag: string): string {
  const name = html === "" ? "td" : tag;
  return `<${name}>${html}</${name}>`;
}

export function headingsOf(tokens: readonly Token[]): Heading[] {
  const slug = slugger();
  return tokens.filter(isHeading).map(({ depth, tokens: inside }) => {
    const text = plainText(inside);
    return { depth, text, id: slug(text) };
  });
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: Section[] = [];
  for (const token of tokens) {
    if (isHeading(token)) sections.push({ heading: headings[sections.length]!, text: "" });
    else if (sections.length > 0) sections.at(-1)!.text += ` ${plainText([token])}`;
  }
  return sections.map(({ heading, text }) => ({ heading, text: text.replace(/\s+/g, " ").trim() }));
}

/** What a reader sees of it, without marks. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map(plainOf).join("");
}

function plainOf(token: Token): string {
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(" ")).join(" ");
  }
  if (token.type === "list")
    return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(" ");
  if (token.type === "image" || token.type === "html") return "";
  if ("tokens" in token && token.tokens) return plainText(token.tokens);
  if (token.type === "space" || token.type === "br") return " ";
  return decode("text" in token ? String(token.text) : "");
}

function decode(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

/** A file that isn't Markdown, as a page with its text. */
export function sourcePage(text: string, file: string): Rendered {
  const heading = { depth: 1, text: file, id: "file" };
  return {
    title: file,
    html: `<h1 id="file">${escapeHtml(file)}</h1>\n<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    headings: [heading],
    sections: [],
    links: [],
  };
}

/** A folder, as a list of its files. */
export function folderPage(names: readonly string[], file: string): Rendered {
  const list = names.map((name) => `- [${name}](${file.split("/").at(-1)}/${name})`).join("\n");
  const rendered = renderPage(`# ${file}\n\n${list}\n`, file, () => undefined);
  return { ...rendered, sections: [] };
}
