/** Which part of an unfinished answer a preview renders: no more than a message can show. Pure. */
import { startOf } from "../text-limits.js";

/** Above the limit of any platform, with room for markup. */
const MAX_PREVIEW_CHARS = 16_000;

export function previewStart(text: string): string {
  return startOf(text, MAX_PREVIEW_CHARS);
}

/** From the beginning of a line, if there is one. */
export function previewEnd(text: string): string {
  if (text.length <= MAX_PREVIEW_CHARS) return text;
  const end = text.slice(-MAX_PREVIEW_CHARS);
  return end.slice(end.indexOf("\n") + 1);
}
