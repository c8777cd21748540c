import type { MessageRow } from "../../session.js";
import { BY_HUMAN } from "../../store/queues.js";
import { plainText } from "../../store/shared/content.js";
import type { ExportedSession } from "../../store/store.js";
import { readCalls } from "../../tool-calls.js";

const NAMES: Record<string, string> = { user: "User", assistant: "Agent", tool: "Tool", system: "System" };

/** A session as readable text, without undone messages and internal rows. */
export function toMarkdown(session: ExportedSession): string {
  const { id, title, source, started_at, messages } = session;
  const head = [`# ${title ?? "Untitled session"}`, `${source}, began ${iso(started_at)}, ${id}`];
  const shown = messages.filter(({ role, active }) => role !== "session_meta" && active !== 0);
  return `${[...head, ...shown.flatMap(toBlocks)].join("\n\n")}\n`;
}

function toBlocks(message: MessageRow): string[] {
  const { role, content, tool_name, timestamp } = message;
  const name = message.finish_reason === BY_HUMAN ? "Operator" : (NAMES[role] ?? role);
  const calls = readCalls({ role, content, tool_calls: message.tool_calls ?? [] }).map(
    (call) => `- called \`${call.name}\`: ${call.arguments}`,
  );
  const text = plainText(content);
  const blocks = [`## ${name}${tool_name ? ` ${tool_name}` : ""}, ${iso(timestamp)}`];
  if (text !== "") blocks.push(text);
  if (calls.length > 0) blocks.push(calls.join("\n"));
  return blocks;
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
