import { field } from "../field.js";
import type { Content } from "../session.js";

/** Plain text of a message's content: the string itself, or its text parts. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  if (content === null) return "";
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .map(partText)
    .filter((text) => text !== "")
    .join("\n");
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const text = field(part, "text");
  if (typeof text === "string") return text;
  return isImage(part) ? "[image]" : "";
}

export function isImage(part: unknown): boolean {
  return /image/.test(String(field(part, "type")));
}

export function withoutImages(content: Content): Content {
  return Array.isArray(content) ? content.filter((part) => !isImage(part)) : content;
}
