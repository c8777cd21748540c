import type { ToolResult } from "../client-request.js";
import type { ShownImages } from "../media/images.js";
import type { Attachment, InboundMessage } from "../message.js";
import type { ChatMessage, NewMessage } from "../session.js";

/** What a person wrote, as the agent reads it. In a shared session every message carries its sender's name. */
export function toUserMessage(message: InboundMessage, shared: boolean): NewMessage {
  const { origin, text, quoted, attachments } = message;
  const quote = quoted ? [`> ${quoted.text.replaceAll("\n", "\n> ")}`] : [];
  const files = attachments.map(describe);
  const body = [...quote, text, ...files].filter((part) => part !== "").join("\n");
  return {
    role: "user",
    content: shared ? `[${origin.userName || origin.userId || "somebody"}] ${body}` : body,
    ...(origin.messageId ? { platform_message_id: origin.messageId } : {}),
  };
}

/** All that a message adds to the conversation: what the sender's tools gave, then what the sender wrote. */
export function toMessages(message: InboundMessage, shared: boolean): NewMessage[] {
  const { request, text, attachments } = message;
  if (!request) return [toUserMessage(message, shared)];
  const results = (request.results ?? []).map(resultMessage);
  const isMute = text === "" && attachments.length === 0 && results.length > 0;
  return isMute ? results : [...results, toUserMessage(message, shared)];
}

function resultMessage({ callId, text }: ToolResult): NewMessage {
  return { role: "tool", content: text, tool_call_id: callId };
}

/** Short, with where it lies: an agent that can open files may look into it. */
function describe({ kind, name, mimeType, bytes, path, problem }: Attachment): string {
  const size = bytes === undefined ? undefined : sizeOf(bytes);
  const details = [name, mimeType, size, path && `at ${path}`, problem].filter(Boolean).join(", ");
  return `[${kind}${details ? `: ${details}` : ""}]`;
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** With its pictures, for the agent alone: in the history their description stands for them. */
export function withImages(message: NewMessage, { parts, omitted }: ShownImages): ChatMessage {
  const { role, content } = message;
  const missing = omitted > 0 ? [{ type: "text", text: `[${omitted} of the pictures can't be shown]` }] : [];
  if (parts.length + missing.length === 0) return { role, content: content ?? null };
  return { role, content: [{ type: "text", text: content }, ...parts, ...missing] };
}
