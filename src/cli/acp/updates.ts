/** Stored messages, questions and answers → ACP updates. Pure. */
import path from "node:path";
import type {
  ContentBlock,
  PermissionOption,
  SessionInfo,
  SessionUpdate,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Choice, OutboundQuestion } from "../../question.js";
import type { MessageRow, SessionRow, SessionSummary } from "../../session.js";
import { readCalls } from "../../tool-calls.js";

export function said(text: string, who: "agent" | "user" = "agent"): SessionUpdate {
  return { sessionUpdate: `${who}_message_chunk`, content: { type: "text", text } };
}

/** A session's rows as the editor would have seen them. */
export function replayOf(rows: readonly MessageRow[]): SessionUpdate[] {
  return rows.flatMap((row) => {
    const text = typeof row.content === "string" ? row.content : "";
    if (row.role === "user") return text === "" ? [] : [said(text, "user")];
    if (row.role === "tool")
      return row.tool_call_id
        ? [
            {
              sessionUpdate: "tool_call_update" as const,
              toolCallId: row.tool_call_id,
              status: "completed" as const,
            },
          ]
        : [];
    if (row.role !== "assistant") return [];
    const calls = readCalls({ role: "assistant", content: null, tool_calls: callsOf(row) });
    return [...(text === "" ? [] : [said(text)]), ...calls.map(({ id, name }) => toolCall(id, name))];
  });
}

function callsOf({ tool_calls }: MessageRow): unknown[] {
  const calls: unknown = typeof tool_calls === "string" ? JSON.parse(tool_calls) : tool_calls;
  return Array.isArray(calls) ? calls : [];
}

export function toolCall(id: string, tool: string): SessionUpdate {
  const kind = kindOf(tool);
  return { sessionUpdate: "tool_call", toolCallId: id, title: tool, kind, status: "in_progress" };
}

const READS = /^(?:web_search|session_search|web_extract|todo)$/;

function kindOf(tool: string): "search" | "other" {
  return READS.test(tool) ? "search" : "other";
}

/** The person's text. Files added by the editor are named, and their text is quoted. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "resource_link") return `[${block.name}](${block.uri})`;
      if (block.type !== "resource") return `[${block.type}]`;
      const { resource } = block;
      return "text" in resource ? `${resource.uri}:\n\`\`\`\n${resource.text}\n\`\`\`` : `[${resource.uri}]`;
    })
    .join("\n\n");
}

export function permissionOf(
  text: string,
  { id, choices }: OutboundQuestion,
): { toolCall: ToolCallUpdate; options: PermissionOption[] } {
  return {
    toolCall: {
      toolCallId: `question-${id}`,
      title: text.split("\n", 1)[0]!.slice(0, 200),
      status: "pending",
      content: [{ type: "content", content: { type: "text", text } }],
    },
    options: choices.map(({ id: optionId, label, style }) => ({
      optionId,
      name: label,
      kind: optionKind(optionId, style),
    })),
  };
}

function optionKind(id: string, style: Choice["style"]): PermissionOption["kind"] {
  if (style === "danger") return "reject_once";
  return id === "always" || id === "session" ? "allow_always" : "allow_once";
}

/** The editor's working directory, in Hermes' format. */
export function cwdOf({ model_config, cwd }: Pick<SessionRow, "model_config" | "cwd">): string | undefined {
  try {
    const stored: unknown = JSON.parse(model_config ?? "{}");
    const found = (stored as { cwd?: unknown } | null)?.cwd ?? cwd;
    return typeof found === "string" ? found : undefined;
  } catch {
    return cwd ?? undefined;
  }
}

export function infoOf(session: SessionSummary): SessionInfo {
  const cwd = cwdOf(session) ?? "/";
  return {
    sessionId: session.id,
    cwd,
    title: session.title ?? (session.preview.slice(0, 80) || path.basename(cwd)),
    updatedAt: new Date(session.last_active * 1000).toISOString(),
  };
}
