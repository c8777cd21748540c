import type { Content, MessageRow, SessionRow } from "../../session.js";
import { oneLine, plain } from "../cells.js";
import { fitted, hanging } from "../fit.js";
import { counted } from "../numbers.js";
import { colors } from "../output.js";
import { localMinute, relativeTime } from "../times.js";

const NAMES_SHOWN = 4;

/** One block of the printed conversation; `tools` are the calls made until the next block. */
export interface Entry {
  role: string;
  timestamp: number;
  text: string;
  tools: string[];
}

export function sessionHeader(session: SessionRow, lastActive: number, now: number): string {
  const facts = [
    session.id,
    session.source,
    ...(session.model ? [session.model] : []),
    counted(session.message_count, "message"),
    `started ${localMinute(session.started_at)}`,
    `active ${relativeTime(lastActive, now)}`,
    ...(session.end_reason ? [`ended: ${session.end_reason}`] : []),
  ];
  const title = fitted(oneLine(session.title || "Untitled session"));
  return `${colors.bold(title)}\n${colors.dim(hanging(oneLine(facts.join(" · ")), 2, 0))}`;
}

export function drawTranscript(messages: readonly MessageRow[], limit?: number): string {
  const entries = foldTools(messages);
  const shown = limit === undefined ? entries : entries.slice(-limit);
  const earlier = entries.length - shown.length;
  const blocks = shown.map(drawEntry);
  if (earlier > 0) blocks.unshift(colors.dim(`... ${counted(earlier, "earlier message")} ...`));
  return blocks.length === 0 ? "No messages yet." : blocks.join("\n\n");
}

/** Omits tool results and internal rows; an assistant row that only calls tools is merged with the previous one. */
export function foldTools(messages: readonly MessageRow[]): Entry[] {
  const entries: Entry[] = [];
  for (const message of messages) {
    if (message.role !== "user" && message.role !== "assistant") continue;
    const entry = toEntry(message);
    const before = entries.at(-1);
    if (entry.role === "assistant" && entry.text === "" && before?.role === "assistant") {
      before.tools = before.tools.concat(entry.tools);
    } else if (entry.text !== "" || entry.tools.length > 0) entries.push(entry);
  }
  return entries;
}

function toEntry({ role, timestamp, content, tool_calls }: MessageRow): Entry {
  return {
    role,
    timestamp,
    text: plain(contentText(content)).trim(),
    tools: (tool_calls ?? []).map(toolName),
  };
}

function drawEntry({ role, timestamp, text, tools }: Entry): string {
  const who = role === "user" ? colors.yellow("● user") : colors.green("◆ assistant");
  const body = text === "" ? [] : text.split("\n").map((line) => `  ${line}`.trimEnd());
  const folded = tools.length === 0 ? [] : [colors.dim(`  ${toolSummary(tools)}`)];
  return [`${who}  ${colors.dim(localMinute(timestamp))}`, ...body, ...folded].join("\n");
}

/** `[3 tool calls: terminal, web_search]`. */
export function toolSummary(tools: readonly string[]): string {
  const names = [...new Set(tools)];
  const more = names.length > NAMES_SHOWN ? ", …" : "";
  const calls = counted(tools.length, "tool call");
  return `[${calls}: ${names.slice(0, NAMES_SHOWN).map(oneLine).join(", ")}${more}]`;
}

function toolName(call: unknown): string {
  const { name, function: made } = (call ?? {}) as { name?: unknown; function?: { name?: unknown } | null };
  const found = made?.name ?? name;
  return typeof found === "string" && found !== "" ? found : "unknown";
}

/** The text of a message; parts that aren't text appear as `[image_url]`. */
export function contentText(content: Content): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : [content]).map(partText).join("\n");
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const { text, type } = (part ?? {}) as { text?: unknown; type?: unknown };
  if (typeof text === "string") return text;
  return `[${typeof type === "string" ? type : "content"}]`;
}
