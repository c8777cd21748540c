/** `docs/README.md` lists every page by topic: that list is the navigation of the site. */
import { Marked, type Token, type Tokens } from "marked";
import { readLink } from "./links.js";

export interface Entry {
  title: string;
  file: string;
}

export interface Topic {
  title: string;
  entries: Entry[];
}

export function readNavigation(markdown: string, file: string): Topic[] {
  const topics: Topic[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === "heading" && token.depth === 2) topics.push({ title: token.text, entries: [] });
    if (token.type !== "list") continue;
    const entries = (token as Tokens.List).items.flatMap(({ tokens }) => entryOf(tokens, file));
    topics.at(-1)?.entries.push(...entries);
  }
  return topics.filter(({ entries }) => entries.length > 0);
}

/** The first link of an item. */
function entryOf(tokens: readonly Token[], from: string): Entry[] {
  const inline = tokens.flatMap((token) => ("tokens" in token ? (token.tokens ?? []) : []));
  const link = inline.find((token): token is Tokens.Link => token.type === "link");
  const file = link && readLink(link.href, from).file;
  return link && file !== undefined ? [{ title: link.text, file }] : [];
}
