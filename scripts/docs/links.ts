/** Where files of the repository are on the site, and links between them. All paths are relative to the repository. */
import path from "node:path";

const DOCS = "docs/";

/** `docs/sessions.md` → `sessions.html`; a file from elsewhere has a page below `source/`. */
export function outputOf(file: string): string {
  if (file === "docs/README.md") return "index.html";
  if (!file.startsWith(DOCS)) return `source/${file}.html`;
  const inside = file.slice(DOCS.length);
  return isPicture(file) ? inside : `${inside.replace(/\.md$/, "")}.html`;
}

export function isPicture(file: string): boolean {
  return /\.(?:png|svg)$/.test(file);
}

export interface Link {
  /** The file it leads to; undefined for another site or a place on the same page. */
  file?: string;
  anchor: string;
}

export function readLink(href: string, from: string): Link {
  const [target = "", anchor = ""] = href.split("#", 2);
  if (target === "" || /^[a-z]+:/.test(target)) return { anchor };
  const file = path.posix.join(path.posix.dirname(from), target).replace(/\/$/, "");
  return { file, anchor };
}

/** The address of a file's page, seen from the page of another file. */
export function linkBetween(from: string, to: string, anchor = ""): string {
  const name = path.posix.relative(path.posix.dirname(outputOf(from)), outputOf(to));
  return anchor === "" ? name : `${name}#${anchor}`;
}
