/** Formats message rows for the model. Pure. */

import { textOf } from "../agents/text.js";
import { field } from "../field.js";
import type { MessageRow } from "../session.js";

export interface ShownMessage {
  id: number;
  role: string;
  content: string;
  when: string;
  tool_name?: string;
  tool_calls?: string[];
  anchor?: true;
}

const MAX_CHARS = 2000;
const MAX_TOOL_CHARS = 500;

export function shownMessage(row: MessageRow): ShownMessage {
  const calls = (row.tool_calls ?? []).map((call) => String(field(field(call, "function"), "name")));
  return {
    id: row.id,
    role: row.role,
    content: cut(textOf(row.content), row.role === "tool" ? MAX_TOOL_CHARS : MAX_CHARS),
    when: isoTime(row.timestamp),
    ...(row.tool_name === null ? {} : { tool_name: row.tool_name }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}… (${text.length} characters)`;
}

export function isoTime(epochSeconds: number): string {
  return new Date(Math.round(epochSeconds * 1000)).toISOString();
}

export interface Around {
  messages: ShownMessage[];
  messages_before: number;
  messages_after: number;
}

/** A window of messages around one. Undefined if it isn't in the list. */
export function around(rows: readonly MessageRow[], anchorId: number, window: number): Around | undefined {
  const at = rows.findIndex((row) => row.id === anchorId);
  if (at < 0) return undefined;
  const [start, end] = [Math.max(0, at - window), Math.min(rows.length, at + window + 1)];
  const messages = rows.slice(start, end).map((row) => {
    const message = shownMessage(row);
    return row.id === anchorId ? { ...message, anchor: true as const } : message;
  });
  return { messages, messages_before: start, messages_after: rows.length - end };
}

/** User and assistant text, without tool output and empty calls. */
export function isSpoken(row: MessageRow): boolean {
  return (row.role === "user" || row.role === "assistant") && textOf(row.content).trim() !== "";
}
