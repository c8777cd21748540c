import type { ChatMessage, Content } from "../../session.js";

/** Structured content is stored as NUL + `json:` + JSON, so that no text can be taken for it. */
const STRUCTURED = "\0json:";

export function encodeContent(content: Content | undefined): string | null {
  if (content === null || content === undefined || typeof content === "string") return content ?? null;
  return STRUCTURED + JSON.stringify(content);
}

export function decodeContent(stored: string | null): Content {
  if (stored === null || !stored.startsWith(STRUCTURED)) return stored;
  // Treat JSON that another process truncated as plain text.
  return parseJson(stored.slice(STRUCTURED.length), stored) as Content;
}

/** The text of a message's content, for previews and contexts. */
export function plainText(content: Content): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.flatMap((part) => {
    const text = typeof part === "string" ? part : (part as { text?: unknown } | null)?.text;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length > 0 ? texts.join(" ") : "[multimodal content]";
}

export function decodeJsonList(stored: string | null): unknown[] | null {
  const value = parseJson(stored ?? "null", null);
  return Array.isArray(value) ? value : null;
}

/** One list per column: crosses threads in half the time of a list of messages. */
export interface StoredConversation {
  role: string[];
  content: Content[];
  /** Still JSON: cheaper to transfer, and no more expensive to parse on the other side. */
  toolCalls: (string | null)[];
  toolCallId: (string | null)[];
  toolName: (string | null)[];
  messageId: (string | null)[];
}

export function toConversation(stored: StoredConversation): ChatMessage[] {
  return stored.role.map((role, i) => {
    const message: ChatMessage = { role, content: stored.content[i] ?? null };
    const toolCalls = stored.toolCalls[i] ? decodeJsonList(stored.toolCalls[i]) : null;
    if (toolCalls) message.tool_calls = toolCalls;
    if (stored.toolCallId[i]) message.tool_call_id = stored.toolCallId[i];
    if (stored.toolName[i]) message.tool_name = stored.toolName[i];
    if (stored.messageId[i]) message.message_id = stored.messageId[i];
    return message;
  });
}

/** For exports: parsed where writing it again gives the same value, verbatim where a long number would change. */
export function decodeExactly(stored: string | null): unknown {
  if (stored === null || hasLongNumbers(stored)) return stored;
  const value = parseJson(stored, stored);
  return Array.isArray(value) && value.length > 0 ? value : stored;
}

export function decodeContentExactly(stored: string | null): Content {
  const structured = stored?.startsWith(STRUCTURED) && !hasLongNumbers(stored);
  return structured ? decodeContent(stored) : stored;
}

/** Whether JavaScript would write one of the numbers differently. */
function hasLongNumbers(json: string): boolean {
  // A string that never ends is read to the end of the text, so that nothing is read twice.
  const outsideStrings = json.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, "");
  return (outsideStrings.match(/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? []).some(changes);
}

const EXACT_DIGITS = 15;

function changes(literal: string): boolean {
  const value = Number(literal);
  if (String(value) === literal) return false;
  const digits = literal.replace(/[eE].*/, "").replace(/^[0.]+|\./g, "");
  return digits.length > EXACT_DIGITS || !Number.isFinite(value) || (value === 0 && digits !== "");
}

export function encodeJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.length === 0 ? null : JSON.stringify(value);
}

function parseJson(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
