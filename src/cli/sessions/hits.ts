import type { SearchHit, SearchPlan } from "../../store/store.js";
import { cellWidth, oneLine } from "../cells.js";
import { fitted, hanging } from "../fit.js";
import { colors } from "../output.js";
import { relativeTime } from "../times.js";

const PATHS: Readonly<Record<SearchPlan["path"], string>> = {
  fts: "full-text index of words",
  trigram: "trigram index (Chinese, Japanese, Korean)",
  mixed: "both indexes, each for its part of the query",
  like: "reading messages, newest first",
};

/** Every hit with where it was said, by whom and when, then the passage. */
export function drawHits(hits: readonly SearchHit[], now: number): string {
  return hits
    .map((hit) => `${hitHeader(hit, now)}\n    ${highlight(hanging(oneLine(hit.snippet), 4))}`)
    .join("\n\n");
}

function hitHeader(hit: SearchHit, now: number): string {
  const facts = [hit.session_id, hit.source, hit.role, relativeTime(hit.timestamp, now)];
  const about = `· ${oneLine(facts.join(" · "))}`;
  return `${colors.cyan(fitted(oneLine(hit.title || "—"), cellWidth(about) + 1))} ${colors.dim(about)}`;
}

const OPEN = ">>>";
const CLOSE = "<<<";

/** On a terminal the marks become weight; elsewhere they stay for the next program. */
export function highlight(snippet: string, paint = colors): string {
  if (!paint.isColorSupported) return snippet;
  const parts = snippet.split(CLOSE);
  const last = parts.pop() ?? "";
  const painted = parts.map((part) => {
    const open = part.indexOf(OPEN);
    if (open === -1) return part + CLOSE;
    return part.slice(0, open) + paint.bold(paint.yellow(part.slice(open + OPEN.length)));
  });
  return painted.join("") + last;
}

export function drawPlan({ query, match, path }: SearchPlan): string {
  return [
    `Query:     ${oneLine(query)}`,
    `FTS query: ${oneLine(match) || "(none)"}`,
    `Path:      ${path} (${PATHS[path]})`,
  ].join("\n");
}
