/** For agents that keep their own conversation: what to send to the agent. Pure. */
import { field } from "../field.js";
import type { ChatMessage } from "../session.js";
import { truncated } from "../text-limits.js";
import { textOf } from "./text.js";

/** The state stored per session. */
export interface Kept {
  /** The agent's own id of the conversation. */
  id: string;
  /** How many messages of the session the agent knows. */
  seen: number;
  /** The conversation's cost so far, if the agent reports it. */
  costUsd?: number | undefined;
}

export type Plan =
  /** A new conversation: the agent knows nothing. */
  | { to: "begin" }
  /** `missed`: messages since then, from others or to another agent. */
  | { to: "go-on"; id: string; missed: readonly ChatMessage[] }
  /** The message was sent before: the agent is asked to continue. */
  | { to: "continue"; id: string };

/** A history shorter than what the agent knows was changed (`/undo`), so the agent needs a new conversation. */
export function planOf(
  kept: Kept | undefined,
  sent: string | undefined,
  history: readonly ChatMessage[],
): Plan {
  if (sent !== undefined) return { to: "continue", id: sent };
  if (!kept || kept.seen > history.length) return { to: "begin" };
  return { to: "go-on", id: kept.id, missed: history.slice(kept.seen) };
}

export function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const [id, seen] = [field(value, "id"), field(value, "seen")];
    if (typeof id !== "string" || typeof seen !== "number") return undefined;
    const costUsd = field(value, "costUsd");
    return { id, seen, ...(typeof costUsd === "number" ? { costUsd } : {}) };
  } catch {
    return undefined;
  }
}

export const CONTINUE =
  "The connection was interrupted while you worked on my last message, and your answer was lost. Don't begin again: check what " +
  "you have done already, do what is missing, then give me your complete answer.";

const MAX_HISTORY_CHARS = 100_000;
const MAX_MESSAGE_CHARS = 10_000;

/** A conversation as text; the newest part of it, if it is long. */
export function asText(messages: readonly ChatMessage[]): string {
  const lines: string[] = [];
  let left = MAX_HISTORY_CHARS;
  for (const message of messages.toReversed()) {
    const line = lineOf(message);
    if (line === undefined) continue;
    left -= line.length;
    if (left < 0) break;
    lines.unshift(line);
  }
  return lines.join("\n\n");
}

function lineOf({ role, content }: ChatMessage): string | undefined {
  const text = textOf(content).trim();
  if (text === "" || (role !== "user" && role !== "assistant")) return undefined;
  const who = role === "user" ? "User" : "Assistant";
  return `${who}: ${truncated(text, MAX_MESSAGE_CHARS, "message")}`;
}
