/** A server's result → text for the model. Pure. */
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
} from "@modelcontextprotocol/client";

/** Text parts joined; other parts described. A failed call begins with Error. */
export function resultText({ content, structuredContent, isError }: CallToolResult): string {
  const parts = (content ?? []).map(partText).filter((text) => text !== "");
  const structured = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  const text = parts.length > 0 ? parts.join("\n") : structured;
  if (isError)
    return /^error\b/i.test(text) ? text : `Error: ${text || "the tool failed without giving a reason"}`;
  return text === "" ? "(no output)" : text;
}

export function resourceText({ contents }: ReadResourceResult): string {
  const parts = contents.map((part) =>
    "text" in part ? part.text : described("a file", part.mimeType, part.blob),
  );
  return parts.join("\n") || "(empty)";
}

export function promptText({ description, messages }: GetPromptResult): string {
  const lines = messages.map(({ role, content }) => `${role}: ${partText(content)}`);
  return [description, ...lines].filter((line) => line !== undefined).join("\n");
}

function partText(part: ContentBlock): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return described("an image", part.mimeType, part.data);
    case "audio":
      return described("a sound", part.mimeType, part.data);
    case "resource_link":
      return `[a link to the resource ${part.name}: ${part.uri}]`;
    case "resource":
      return "text" in part.resource
        ? part.resource.text
        : described(`the resource ${part.resource.uri}`, part.resource.mimeType, part.resource.blob);
    default:
      return "[a part of an unknown kind]";
  }
}

function described(what: string, type: string | undefined, base64: string): string {
  const kilobytes = Math.max(1, Math.round((base64.length * 3) / 4 / 1024));
  return `[${what}, ${type ?? "of an unknown type"}, ${kilobytes} KB, not shown]`;
}
