/** OpenAI's chat format → the AI SDK's messages, repaired so that no provider rejects them. */

import type { ImagePart, ModelMessage, TextPart, ToolResultPart, UserContent } from "ai";
import { field } from "../../field.js";
import type { ChatMessage, Content } from "../../session.js";
import { parseArguments, readCalls } from "../../tool-calls.js";
import { isImage, textOf } from "../text.js";

/** Placeholder for a missing tool result; providers require one. */
export const LOST_RESULT = "[No result: the call was interrupted]";

/**
 * Every call is followed by exactly one result: missing results get a placeholder, results without a call
 * are dropped. Ids may repeat (some servers restart at zero): a result belongs to the latest call.
 */
export function toModelMessages(messages: readonly ChatMessage[]): ModelMessage[] {
  const waiting = new Map<string, ToolResultPart>();
  const converted = messages.flatMap((message): ModelMessage[] => {
    if (message.role === "assistant") return fromAssistant(message, waiting);
    if (message.role === "tool") takeResult(message, waiting);
    return fromUser(message);
  });
  return mergeUsers(converted);
}

/** Merges consecutive user messages: some providers require user and assistant to alternate. */
function mergeUsers(messages: readonly ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === "user" && message.role === "user")
      merged[merged.length - 1] = { role: "user", content: joined(last.content, message.content) };
    else merged.push(message);
  }
  return merged;
}

function joined(first: UserContent, second: UserContent): UserContent {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: UserContent): Exclude<UserContent, string> {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function fromAssistant(message: ChatMessage, waiting: Map<string, ToolResultPart>): ModelMessage[] {
  const calls = [...new Map(readCalls(message).map((call) => [call.id, call])).values()];
  const text = textOf(message.content);
  if (calls.length === 0) return text.trim() === "" ? [] : [{ role: "assistant", content: text }];

  const words: TextPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  const made = calls.map((call) => ({
    type: "tool-call" as const,
    toolCallId: call.id,
    toolName: call.name,
    input: parseArguments(call.arguments) ?? { arguments: call.arguments },
  }));
  const results = calls.map((call) => resultPart(call.id, call.name));
  for (const result of results) waiting.set(result.toolCallId, result);
  return [
    { role: "assistant", content: [...words, ...made] },
    { role: "tool", content: results },
  ];
}

function resultPart(toolCallId: string, toolName: string): ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output: { type: "text", value: LOST_RESULT } };
}

function takeResult(message: ChatMessage, waiting: Map<string, ToolResultPart>): void {
  const result = waiting.get(message.tool_call_id ?? "");
  if (result === undefined) return;
  waiting.delete(result.toolCallId);
  result.output = { type: "text", value: textOf(message.content) || "(empty)" };
}

function fromUser(message: ChatMessage): ModelMessage[] {
  const content = userContent(message.content);
  if (content.length === 0) return [];
  if (message.role === "user") return [{ role: "user", content }];
  // Some providers reject system messages mid-conversation, so it becomes a note in place.
  return message.role === "system"
    ? [{ role: "user", content: `[System note] ${textOf(message.content)}` }]
    : [];
}

function userContent(content: Content): string | (TextPart | ImagePart)[] {
  if (!Array.isArray(content) || !content.some(isImage)) return textOf(content).trim() && textOf(content);
  return content.flatMap((part): (TextPart | ImagePart)[] => {
    const image = isImage(part) ? imagePart(part) : undefined;
    if (image) return [image];
    const text = textOf([part]);
    return text.trim() === "" ? [] : [{ type: "text", text }];
  });
}

/** OpenAI's `image_url` (object or string) and Anthropic's `source`. Other images become a text placeholder. */
function imagePart(part: unknown): ImagePart | undefined {
  const address = field(part, "image_url") ?? field(part, "source");
  const url = typeof address === "string" ? address : field(address, "url");
  if (typeof url === "string") return fromUrl(url);
  const [data, mediaType] = [field(address, "data"), field(address, "media_type")];
  if (typeof data !== "string" || typeof mediaType !== "string") return undefined;
  return { type: "image", image: data, mediaType };
}

function fromUrl(url: string): ImagePart | undefined {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.+)$/s.exec(url) ?? [];
  if (mediaType !== undefined && data !== undefined) return { type: "image", image: data, mediaType };
  // The SDK may fetch URLs itself, so allow only public https.
  return url.startsWith("https://") && URL.canParse(url) ? { type: "image", image: new URL(url) } : undefined;
}

// ── for text-only models ────────────────────────────────────────────────────────────────────────────────

const UNSEEN = "[A picture that this model can't see]";

export function hasImage({ role, content }: ModelMessage): boolean {
  return role === "user" && Array.isArray(content) && content.some(({ type }) => type === "image");
}

export function inWords(message: ModelMessage): ModelMessage {
  if (message.role !== "user" || !Array.isArray(message.content)) return message;
  const words = message.content.map((part) => (part.type === "text" ? part.text : UNSEEN));
  return { ...message, content: words.join("\n") };
}
