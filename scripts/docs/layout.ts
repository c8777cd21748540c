/** What surrounds the text of a page: head, navigation, table of contents, previous and next. */
import path from "node:path";
import { escapeHtml } from "./escape.js";
import { linkBetween, outputOf } from "./links.js";
import type { Heading, Rendered } from "./markdown.js";
import type { Entry, Topic } from "./navigation.js";

/** Names of the files that every page loads. */
export interface Assets {
  css: string;
  js: string;
  theme: string;
  icon: string;
  index: string;
}

/** Longer tables of contents show only the main headings. */
const MAX_CONTENTS = 40;

export function pageHtml(page: Rendered, file: string, topics: readonly Topic[], assets: Assets): string {
  const up = path.posix.relative(path.posix.dirname(outputOf(file)), ".");
  const base = up === "" ? "./" : `${up}/`;
  const title = file === "docs/README.md" ? "Hermes Gateway" : `${page.title} · Hermes Gateway`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${base}${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${base}${assets.css}">
<script src="${base}${assets.theme}"></script>
<script src="${base}${assets.js}" data-base="${base}" data-index="${assets.index}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<button type="button" class="menu" aria-controls="nav" aria-expanded="false">Menu</button>
<a class="brand" href="${base}index.html">Hermes Gateway</a>
<search class="search">
<label class="unseen" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" maxlength="100">
<div class="results" hidden>
<p class="found" role="status"></p>
<ul></ul>
</div>
</search>
<button type="button" class="theme">Dark</button>
</header>
<div class="frame">
<nav id="nav" class="nav" aria-label="Pages">
${topics.map((topic) => topicHtml(topic, file)).join("\n")}
</nav>
<main id="content" tabindex="-1">
${contentsHtml(page.headings)}
<article>
${page.html}</article>
${aroundHtml(file, topics)}
</main>
</div>
</body>
</html>
`;
}

function topicHtml({ title, entries }: Topic, file: string): string {
  const items = entries.map((entry) => {
    const current = entry.file === file ? ' aria-current="page"' : "";
    return `<li><a href="${linkBetween(file, entry.file)}"${current}>${escapeHtml(entry.title)}</a></li>`;
  });
  return `<h2 class="topic">${escapeHtml(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}

function contentsHtml(headings: readonly Heading[]): string {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = below.length > MAX_CONTENTS ? below.filter(({ depth }) => depth === 2) : below;
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ depth, id, text }) => `<li data-depth="${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>
<ul>
${items.join("\n")}
</ul></details></nav>`;
}

function aroundHtml(file: string, topics: readonly Topic[]): string {
  const entries = topics.flatMap((topic) => topic.entries);
  const at = entries.findIndex((entry) => entry.file === file);
  const link = (entry: Entry | undefined, rel: string, label: string) =>
    entry
      ? `<a rel="${rel}" href="${linkBetween(file, entry.file)}"><span>${label}</span> ${escapeHtml(entry.title)}</a>`
      : "";
  if (at === -1 && file !== "docs/README.md") return "";
  const links = link(entries[at - 1], "prev", "Previous") + link(entries[at + 1], "next", "Next");
  return `<nav class="around" aria-label="Previous and next page">${links}</nav>`;
}
