/** Titles to show: plain text, one line, never empty. Pure. */
import { plainParts } from "../../text/plain.js";

const MAX_CHARS = 100;
const UNTITLED = "New conversation";

/** The title, or the start of the first message, without Markdown. */
export function shownTitle(title: string | null, preview: string): string {
  return plainLine(title ?? "") || plainLine(preview) || UNTITLED;
}

export function plainLine(markdown: string, maxChars = MAX_CHARS): string {
  const [text = ""] = plainParts(markdown.slice(0, 4 * maxChars), {
    limit: 4000,
    unit: "utf16",
    marker: false,
  });
  const line = text.replace(/\s+/g, " ").trim();
  const chars = Array.from(line);
  return chars.length > maxChars ? `${chars.slice(0, maxChars - 1).join("")}…` : line;
}
