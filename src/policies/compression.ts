/**
 * Compression of long conversations: what to keep, what to summarise, and how to reassemble it.
 * head (kept) + middle (becomes a summary) + tail (kept). A tool call and its result are never separated.
 */
import { redactEnds } from "../secrets/shapes.js";
import type { ChatMessage, Content } from "../session.js";
import { SUMMARY_END, SUMMARY_PREFIX } from "../summary-marks.js";

export type EstimateTokens = (message: ChatMessage) => number;

// --- what to keep ------------------------------------------------------------------------------------------------

/** messages[headEnd, tailStart) is the middle. Undefined if the middle is too small. */
export function boundaries(
  messages: readonly ChatMessage[],
  settings: {
    protectFirst: number;
    protectLast: number;
    tailTokens: number;
    estimateTokens: EstimateTokens;
    /** For reason "messages": hundreds of short messages may fit the token budget. */
    maxTailMessages?: number;
  },
): { headEnd: number; tailStart: number } | undefined {
  const calls = callIndexes(messages);
  const headEnd = endAfterResults(headLength(messages, settings.protectFirst), calls);
  const wanted = Math.min(
    Math.max(
      tailByBudget(messages, settings),
      messages.length - (settings.maxTailMessages ?? messages.length),
    ),
    lastIndexOfRole(messages, "user", headEnd),
    lastIndexOfRole(messages, "assistant", headEnd),
  );
  const tailStart = startBeforeCalls(wanted, calls);
  return tailStart > headEnd ? { headEnd, tailStart } : undefined;
}

function headLength(messages: readonly ChatMessage[], protectFirst: number): number {
  let end = 0;
  while (messages[end]?.role === "system") end++;
  return Math.min(messages.length, end + protectFirst);
}

const TAIL_LEEWAY = 1.5;

function tailByBudget(
  messages: readonly ChatMessage[],
  settings: { protectLast: number; tailTokens: number; estimateTokens: EstimateTokens },
): number {
  const atLeast = clamp(settings.protectLast, 3, 8);
  let tokens = 0;
  for (let start = messages.length; start > 0; start--) {
    tokens += settings.estimateTokens(messages[start - 1]!);
    if (tokens > settings.tailTokens * TAIL_LEEWAY && messages.length - start >= atLeast) return start;
  }
  return 0;
}

/** Infinity if the last one is in the head, which is kept anyway. */
function lastIndexOfRole(messages: readonly ChatMessage[], role: string, headEnd: number): number {
  const index = messages.findLastIndex((message) => message.role === role);
  return index >= headEnd ? index : Number.POSITIVE_INFINITY;
}

/** Index of each tool result → index of its call: found by id, else the last message before it that isn't a result. */
function callIndexes(messages: readonly ChatMessage[]): Map<number, number> {
  const byId = new Map<string, number>();
  const indexes = new Map<number, number>();
  let lastOther = 0;
  for (const [i, message] of messages.entries()) {
    if (message.role === "tool") indexes.set(i, byId.get(message.tool_call_id ?? "") ?? lastOther);
    else lastOther = i;
    for (const id of callIds(message)) byId.set(id, i);
  }
  return indexes;
}

function endAfterResults(end: number, calls: ReadonlyMap<number, number>): number {
  let safe = end;
  for (const [result, call] of calls) if (call < safe && result >= safe) safe = result + 1;
  return safe;
}

function startBeforeCalls(start: number, calls: ReadonlyMap<number, number>): number {
  let safe = start;
  // From the end: moving a call into the tail can only affect results before it.
  for (const [result, call] of [...calls].reverse()) if (result >= safe && call < safe) safe = call;
  return safe;
}

// --- smaller tool output ------------------------------------------------------------------------------------------

const LONG_OUTPUT = 200;
const LONG_ARGUMENT = 500;
const KEPT_OF_ARGUMENT = 200;

/** Before the tail: shortens results to one line, replaces repeats, shortens arguments, removes images. */
export function pruneToolOutput(messages: readonly ChatMessage[], protectedTailStart: number): ChatMessage[] {
  const lastCopy = new Map<string, number>();
  for (const [i, message] of messages.entries()) {
    if (message.role === "tool") lastCopy.set(contentText(message.content), i);
  }
  const names = callNames(messages);
  return messages.map((message, i) => {
    if (i >= protectedTailStart) return message;
    if (message.role !== "tool") return withShortArguments(withoutImages(message));
    const text = contentText(message.content);
    if (text.length >= LONG_OUTPUT && lastCopy.get(text) !== i) {
      return { ...message, content: "[Same output as a later tool result; removed here]" };
    }
    if (text.length <= LONG_OUTPUT) return withoutImages(message);
    return { ...message, content: oneLine(names.get(message.tool_call_id ?? "") ?? message.tool_name, text) };
  });
}

function oneLine(toolName: string | undefined, text: string): string {
  const lines = text.split("\n");
  const first = lines.find((line) => line.trim() !== "")?.trim() ?? "";
  return `[${toolName ?? "tool"}] ${cut(first, 100)} (${text.length} characters, ${lines.length} lines; shortened)`;
}

function withoutImages(message: ChatMessage): ChatMessage {
  if (!Array.isArray(message.content) || !message.content.some(isImage)) return message;
  const content = message.content.map((part) =>
    isImage(part) ? { type: "text", text: "[image removed]" } : part,
  );
  return { ...message, content };
}

function isImage(part: unknown): boolean {
  return /image/.test(String(field(part, "type")));
}

function withShortArguments(message: ChatMessage): ChatMessage {
  if (message.tool_calls === undefined) return message;
  return { ...message, tool_calls: message.tool_calls.map(shortenCall) };
}

function shortenCall(call: unknown): unknown {
  const made = field(call, "function");
  const json = field(made, "arguments");
  if (typeof json !== "string" || json.length <= LONG_ARGUMENT) return call;
  return { ...(call as object), function: { ...(made as object), arguments: shortenJson(json) } };
}

/** Providers parse the arguments, so they must stay valid JSON: only the strings inside are shortened. */
function shortenJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json, (_, value: unknown) => shortenString(value)));
  } catch {
    return JSON.stringify({ shortened: cut(json, KEPT_OF_ARGUMENT) });
  }
}

function shortenString(value: unknown): unknown {
  return typeof value === "string" && value.length > KEPT_OF_ARGUMENT ? cut(value, KEPT_OF_ARGUMENT) : value;
}

// --- the summary --------------------------------------------------------------------------------------------------

const MAX_PER_MESSAGE = 6000;
const MAX_FALLBACK_SHARE = 8000;

/** The middle as text for the summariser, one block per message. Without secrets, because summaries outlive messages. */
export function serialiseForSummary(middle: readonly ChatMessage[]): string {
  return middle.map((message) => withoutSecrets(serialise(message), MAX_PER_MESSAGE)).join("\n\n");
}

function withoutSecrets(text: string, length: number): string {
  const { start, end } = clippedParts(length);
  const clean = redactEnds(text, start, end);
  return typeof clean === "string" ? clip(clean, length) : joinClipped(...clean);
}

function serialise(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map((call) => {
    const made = field(call, "function");
    return `\n  called ${String(field(made, "name"))}(${String(field(made, "arguments"))})`;
  });
  const label = message.role === "tool" ? `TOOL RESULT ${message.tool_call_id ?? ""}`.trim() : message.role;
  return `[${label.toUpperCase()}]: ${contentText(message.content)}${calls.join("")}`;
}

/** Used if no model is available. Deterministic; prefers the newest requests. */
export function fallbackSummary(middle: readonly ChatMessage[], previous?: string): string {
  const text = fallbackText(middle);
  return previous === undefined ? text : `${clip(previous.trim(), MAX_FALLBACK_SHARE)}\n\n${text}`;
}

function fallbackText(middle: readonly ChatMessage[]): string {
  const intro = `${middle.length} earlier messages were removed to save space; no summary could be made of them.`;
  const sections = [
    section("What the user wrote", texts(middle, "user"), beginning),
    section("What the assistant answered", texts(middle, "assistant"), beginning),
    section("Tools that were used", toolCounts(middle)),
  ];
  return clip([intro, ...sections.filter((text) => text !== "")].join("\n\n"), MAX_FALLBACK_SHARE);
}

const MAX_LINES = 12;

function section(heading: string, lines: readonly string[], shown = (line: string) => line): string {
  const kept = lines.slice(-MAX_LINES).map(shown);
  const dropped = lines.length - kept.length;
  const all = dropped > 0 ? [`(${dropped} earlier ones left out)`, ...kept] : kept;
  return all.length === 0 ? "" : `## ${heading}\n${all.map((line) => `- ${line}`).join("\n")}`;
}

function texts(middle: readonly ChatMessage[], role: string): string[] {
  return middle
    .filter((message) => message.role === role)
    .map((message) => contentText(message.content).replace(/\s+/g, " ").trim())
    .filter((text) => text !== "");
}

const MAX_LINE_SHARE = 250;

function beginning(text: string): string {
  // One character more than is kept, so `cut` adds its ellipsis.
  const clean = redactEnds(text, MAX_LINE_SHARE + 1, 0);
  return cut(typeof clean === "string" ? clean : clean[0], MAX_LINE_SHARE);
}

function toolCounts(middle: readonly ChatMessage[]): string[] {
  const counts = new Map<string, number>();
  for (const name of callNames(middle).values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${cut(name, 80)}: ${count}`);
}

/** Whether the message is the summary of an earlier compression. The next compression updates it instead of nesting it. */
export function isSummary(message: ChatMessage): boolean {
  return contentText(message.content).startsWith(SUMMARY_PREFIX);
}

// --- reassembly --------------------------------------------------------------------------------------------------

/** Providers require alternating user and assistant messages, the user first, and a result for every call. */
export function assemble(
  head: readonly ChatMessage[],
  summary: string,
  tail: readonly ChatMessage[],
): ChatMessage[] {
  const kept = repairToolPairs([...head, ...tail], head.length);
  const text = `${SUMMARY_PREFIX}\n${summary.trim()}\n${SUMMARY_END}`;
  const [first, ...rest] = kept.tail;
  const previous = kept.head.findLast((message) => message.role !== "system")?.role;
  const role = (previous === undefined ? ["user"] : ["user", "assistant"]).find(
    (role) => role !== previous && role !== first?.role,
  );
  if (role !== undefined) return [...kept.head, { role, content: text }, ...kept.tail];
  if (first === undefined) return [...kept.head, { role: "user", content: text }];
  return [...kept.head, { ...first, content: prepend(text, first.content) }, ...rest];
}

function prepend(text: string, content: Content): Content {
  if (Array.isArray(content)) return [{ type: "text", text }, ...content];
  if (content !== null && typeof content === "object") return [{ type: "text", text }, content];
  return content ? `${text}\n\n${content}` : text;
}

/** Drops results without a call; adds a placeholder result to calls without one. */
function repairToolPairs(
  messages: readonly ChatMessage[],
  headLength: number,
): { head: ChatMessage[]; tail: ChatMessage[] } {
  const called = new Set(messages.flatMap(callIds));
  const answered = new Set(messages.map((message) => message.tool_call_id));
  const repair = (message: ChatMessage): ChatMessage[] => {
    if (message.role === "tool") return called.has(message.tool_call_id ?? "") ? [message] : [];
    const missing = callIds(message).filter((id) => !answered.has(id));
    return [message, ...missing.map(missingResult)];
  };
  return {
    head: messages.slice(0, headLength).flatMap(repair),
    tail: messages.slice(headLength).flatMap(repair),
  };
}

function missingResult(id: string): ChatMessage {
  return { role: "tool", tool_call_id: id, content: "[The result is part of the summary]" };
}

// --- helpers ------------------------------------------------------------------------------------------------------

function callIds(message: ChatMessage): string[] {
  return (message.tool_calls ?? []).map((call) => field(call, "id")).filter((id) => typeof id === "string");
}

function callNames(messages: readonly ChatMessage[]): Map<string, string> {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  return new Map(
    calls.map((call) => [String(field(call, "id")), String(field(field(call, "function"), "name"))]),
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The text of a message; for multimodal content, its text parts. */
function contentText(content: Content): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === null ? "" : JSON.stringify(content);
  return content
    .map((part) =>
      typeof part === "string" ? part : (field(part, "text") ?? (isImage(part) ? "[image]" : "")),
    )
    .filter((text) => text !== "")
    .join("\n");
}

/** The beginning, with an ellipsis. Never splits a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${wholeEnd(text.slice(0, length - 1))}…`;
}

const CLIPPED = "\n… [shortened] …\n";

/** Keeps the beginning (the request) and the end (the outcome). */
function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const { start, end } = clippedParts(length);
  return joinClipped(text.slice(0, start), text.slice(-end));
}

/** How many characters of each end to keep. */
function clippedParts(length: number): { start: number; end: number } {
  const end = Math.floor(length / 4);
  return { start: length - end - CLIPPED.length, end };
}

function joinClipped(start: string, end: string): string {
  return wholeEnd(start) + CLIPPED + wholeStart(end);
}

function wholeEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function wholeStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
