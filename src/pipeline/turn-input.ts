import type { ToolResult } from "../client-request.js";
import type { ShownImages } from "../media/images.js";
import type { Attachment } from "../message.js";
import { lateSeconds } from "../policies/lateness.js";
import { senderName, senderPrefix } from "../sender-name.js";
import type { ChatMessage, NewMessage } from "../session.js";
import type { ChangeNote, InboxRow } from "../store/queues.js";

type Arrived = Pick<InboxRow, "message" | "receivedAt">;

const NO_WORDS = "[A message without text]";

/** A person's message as the agent sees it. In a shared session it starts with the sender's name. */
export function toUserMessage(
  { message, receivedAt }: Arrived,
  shared: boolean,
  notes: readonly ChangeNote[] = [],
): NewMessage {
  const { origin, text, quoted, attachments, sentAt, request } = message;
  const quote = quoted ? [`> ${quoted.text.replaceAll("\n", "\n> ")}`] : [];
  const body = lines([...quote, text, ...attachments.map(describe)]);
  // Only a mention of the bot; models reject empty messages.
  const words = body === "" && !request ? NO_WORDS : body;
  const said = shared ? senderPrefix(origin) + words : words;
  const late = lateSeconds({ sentAt, receivedAt });
  return {
    role: "user",
    content: lines([
      ...notes.map((note) => noteText(note, shared)),
      late === undefined ? "" : `[Late: this was written ${span(late)} before it reached me]`,
      said,
    ]),
    ...(origin.messageId ? { platform_message_id: origin.messageId } : {}),
  };
}

/** Without names, notes and quotes. */
export function plainWords({ message: { text, attachments } }: Arrived): string {
  return lines([text, ...attachments.map(describe)]);
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

const QUOTED_CHARS = 200;

/** Tells the agent about a change, without asking for anything. */
function noteText({ before, text, userName }: ChangeNote, shared: boolean): string {
  const quoted = before.length > QUOTED_CHARS ? `${before.slice(0, QUOTED_CHARS)}…` : before;
  const who = shared && userName ? `${senderName({ userName })}'s` : "The";
  const earlier = `${who} earlier message ${JSON.stringify(quoted)}`;
  return text === null
    ? `[Note: ${earlier} was deleted]`
    : `[Note: ${earlier} was edited and now reads ${JSON.stringify(text)}]`;
}

function span(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}

/** A message's contribution to the conversation: results of the client's tools, then the text. */
export function toMessages(row: Arrived, shared: boolean, notes: readonly ChangeNote[] = []): NewMessage[] {
  const { request, text, attachments } = row.message;
  if (!request) return [toUserMessage(row, shared, notes)];
  const results = (request.results ?? []).map(resultMessage);
  const isMute = text === "" && attachments.length === 0 && results.length > 0;
  return isMute ? results : [...results, toUserMessage(row, shared, notes)];
}

function resultMessage({ callId, text }: ToolResult): NewMessage {
  return { role: "tool", content: text, tool_call_id: callId };
}

/** A short description with the path, so that agents with file access can open it. */
function describe({ kind, name, mimeType, bytes, path, problem }: Attachment): string {
  const size = bytes === undefined ? undefined : sizeOf(bytes);
  const details = [name, mimeType, size, path && `at ${path}`, problem].filter(Boolean).join(", ");
  return `[${kind}${details ? `: ${details}` : ""}]`;
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Adds images, for the agent only; the history has their descriptions. */
export function withImages(message: NewMessage, { parts, omitted }: ShownImages): ChatMessage {
  const { role, content } = message;
  const missing = omitted > 0 ? [{ type: "text", text: `[${omitted} of the images can't be shown]` }] : [];
  if (parts.length + missing.length === 0) return { role, content: content ?? null };
  return { role, content: [{ type: "text", text: content }, ...parts, ...missing] };
}
