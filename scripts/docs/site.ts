/** Builds the site of `docs/`: a folder of plain files that any web server can serve. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { inlineDiagram } from "./diagram/svg.js";
import { type Assets, pageHtml } from "./layout.js";
import { isPicture, outputOf } from "./links.js";
import { folderPage, type Rendered, renderPage, sourcePage } from "./markdown.js";
import { readNavigation, type Topic } from "./navigation.js";

const START = "docs/README.md";
/** One linked file leads to others: far more than this means a link into a folder of data. */
const MAX_FILES = 2000;

/** Writes the site into `out` and gives the number of its pages. */
export function buildSite(root: string, out: string): number {
  const topics = readNavigation(fs.readFileSync(path.join(root, START), "utf8"), START);
  const { pages, pictures } = collect(root, topics);
  fs.rmSync(out, { recursive: true, force: true });
  const write = (name: string, content: string | Buffer) => {
    fs.mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
    fs.writeFileSync(path.join(out, name), content);
  };
  const assets = writeAssets(root, searchIndex(pages, topics), write);
  for (const [file, page] of pages) write(outputOf(file), pageHtml(page, file, topics, assets));
  for (const file of pictures) write(outputOf(file), fs.readFileSync(path.join(root, file)));
  return pages.size;
}

/** All pages of the navigation, and every file that they link to. */
function collect(root: string, topics: readonly Topic[]) {
  const pages = new Map<string, Rendered>();
  const pictures = new Set<string>();
  const waiting = [START, ...topics.flatMap(({ entries }) => entries.map(({ file }) => file))];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (pages.has(file) || pictures.has(file)) continue;
    if (pages.size > MAX_FILES) throw new Error(`The documents link to more than ${MAX_FILES} files`);
    if (isPicture(file)) pictures.add(file);
    else pages.set(file, readPage(root, file));
    for (const link of pages.get(file)?.links ?? []) {
      if (!fs.existsSync(path.join(root, link.file)))
        throw new Error(`${file} links to ${link.file}, which doesn't exist`);
      waiting.push(link.file);
    }
  }
  return { pages, pictures };
}

function readPage(root: string, file: string): Rendered {
  const full = path.join(root, file);
  if (fs.statSync(full).isDirectory()) return folderPage(fs.readdirSync(full).toSorted(), file);
  const text = fs.readFileSync(full, "utf8");
  if (!file.endsWith(".md")) return sourcePage(text, file);
  return renderPage(text, file, (picture) => inlineDiagram(root, picture));
}

/** `[address, page, heading, text]` of every section of the pages in the navigation. */
function searchIndex(pages: ReadonlyMap<string, Rendered>, topics: readonly Topic[]): string {
  const listed = topics.flatMap(({ entries }) => entries.map(({ file }) => file));
  const rows = listed.flatMap((file) => {
    const { title, sections } = pages.get(file)!;
    return sections.map(({ heading, text }) => {
      const address = heading.depth === 1 ? outputOf(file) : `${outputOf(file)}#${heading.id}`;
      return [address, title, heading.depth === 1 ? "" : heading.text, text];
    });
  });
  return JSON.stringify(rows);
}

type Write = (name: string, content: string | Buffer) => void;

/** Their names have a hash of their content, so browsers may keep them. */
function writeAssets(root: string, index: string, write: Write): Assets {
  const read = (name: string) => fs.readFileSync(path.join(root, name), "utf8");
  const add = (name: string, content: string) => {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
    const { name: stem, ext } = path.parse(name);
    const file = `assets/${stem}-${hash}${ext}`;
    write(file, content);
    return file;
  };
  return {
    // The colours and type of the dashboard.
    css: add("docs.css", read("dashboard/src/styles/base.css") + read("scripts/docs/browser/docs.css")),
    js: add("docs.js", read("scripts/docs/browser/docs.js")),
    theme: add("theme.js", read("dashboard/public/theme.js")),
    icon: add("favicon.svg", read("dashboard/public/favicon.svg")),
    index: add("search.json", index),
  };
}
