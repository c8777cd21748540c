/** The web pages that an answer is based on, from its turn's tool calls. Pure. */
import type { Source } from "../../adapters/web/api.js";
import { startOf } from "../../text-limits.js";

/** A tool call with its whole result. */
export interface SourceCall {
  tool: string;
  result: string;
}

const MAX_SOURCES = 12;
const TITLE_CHARS = 160;
const URL_CHARS = 2000;

/** Pages that the agent read come first, then search results. */
export function sourcesOf(calls: readonly SourceCall[]): Source[] {
  const read = calls.filter(({ tool }) => tool === "web_extract").flatMap(pagesOf);
  const searched = calls.filter(({ tool }) => tool === "web_search").flatMap(hitsOf);
  const byUrl = new Map<string, Source>();
  for (const page of [...read, ...searched]) {
    const source = sourceAt(page);
    if (source && !byUrl.has(source.url) && byUrl.size < MAX_SOURCES) byUrl.set(source.url, source);
  }
  return [...byUrl.values()];
}

type Fields = Record<string, unknown>;

/** Skips pages that couldn't be read: they have an `error`. */
function pagesOf({ result }: SourceCall): Fields[] {
  return objectsIn(fieldsOf(result).results).filter((page) => page.error === undefined);
}

function hitsOf({ result }: SourceCall): Fields[] {
  const { data } = fieldsOf(result);
  return objectsIn((data as Fields | null | undefined)?.web);
}

/** The URLs come from other people's pages, so only http and https without credentials are allowed. */
function sourceAt({ url, title }: Fields): Source | undefined {
  if (typeof url !== "string" || url.length > URL_CHARS || !URL.canParse(url)) return undefined;
  const { protocol, href, host, username, password } = new URL(url);
  if ((protocol !== "http:" && protocol !== "https:") || username !== "" || password !== "") return undefined;
  const words = typeof title === "string" ? startOf(title, TITLE_CHARS).replace(/\s+/g, " ").trim() : "";
  return { url: href, host, title: words || host };
}

function fieldsOf(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Fields) : {};
  } catch {
    // A truncated result isn't valid JSON.
    return {};
  }
}

function objectsIn(list: unknown): Fields[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.filter((item): item is Fields => typeof item === "object" && item !== null);
}
