import type { MessageRow } from "../../session.js";
import { cellWidth, padToCells } from "../cells.js";
import { counted } from "../numbers.js";
import { type Entry, foldTools, toolSummary } from "../sessions/transcript.js";
import { type Paper, wrapText } from "../wrap.js";

/** The recap shown when a conversation is resumed. */
export interface RecapLimits {
  exchanges: number;
  userChars: number;
  assistantChars: number;
  assistantLines: number;
}

export interface Recap {
  /** Number of omitted messages. */
  earlier: number;
  entries: RecapEntry[];
}

export interface RecapEntry {
  from: "user" | "assistant";
  text: string;
}

/**
 * The last exchanges. Hidden: system messages, results of tools, reasoning. Cut: long messages, but not the last
 * answer. Folded: tool calls, to a count with their names.
 */
export function recapOf(messages: readonly MessageRow[], limits: RecapLimits): Recap {
  const entries = joinTools(foldTools(messages));
  const from = startOf(entries, limits.exchanges);
  const shown = entries.slice(from);
  const lastAnswer = shown.findLastIndex(({ role }) => role === "assistant");
  return {
    earlier: from,
    entries: shown.map((entry, i) => recapEntry(entry, i === lastAnswer, limits)),
  };
}

/** Calls without text belong to the following answer. */
function joinTools(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (const entry of entries) {
    const before = joined.at(-1);
    const isAnswer = entry.role === "assistant" && before?.role === "assistant" && before.text === "";
    if (isAnswer) joined[joined.length - 1] = { ...entry, tools: [...before.tools, ...entry.tools] };
    else joined.push(entry);
  }
  return joined;
}

/** An exchange starts with a user message. */
function startOf(entries: readonly Entry[], exchanges: number): number {
  const begins = entries.flatMap(({ role }, i) => (role === "user" ? [i] : []));
  if (exchanges === 0) return entries.length;
  return begins.length <= exchanges ? 0 : begins.at(-exchanges)!;
}

function recapEntry(entry: Entry, isLastAnswer: boolean, limits: RecapLimits): RecapEntry {
  if (entry.role === "user") return { from: "user", text: cutChars(entry.text, limits.userChars) };
  const { assistantLines, assistantChars } = limits;
  const text = isLastAnswer ? entry.text : cutChars(cutLines(entry.text, assistantLines), assistantChars);
  const folded = entry.tools.length === 0 ? [] : [toolSummary(entry.tools)];
  return { from: "assistant", text: [...(text === "" ? [] : [text]), ...folded].join("\n") };
}

/** Never half a character. */
function cutChars(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join("").trimEnd()}...`;
}

function cutLines(text: string, most: number): string {
  const lines = text.split("\n");
  return lines.length <= most ? text : `${lines.slice(0, most).join("\n").trimEnd()}...`;
}

const HEADING = " Previous Conversation ";
const WIDEST = 100;

export function drawRecap({ earlier, entries }: Recap, { width, colors }: Paper): string[] {
  const inner = Math.max(24, Math.min(width, WIDEST) - 4);
  const lines = [
    ...(earlier === 0 ? [] : [`... ${counted(earlier, "earlier message")} ...`, ""]),
    ...entries.flatMap((entry, i) => [...(i === 0 ? [] : [""]), ...entryLines(entry, inner)]),
  ];
  const edge = (text: string) => colors.dim(text);
  const body = lines.map((line) => `${edge("│")} ${coloured(padToCells(line, inner), colors)} ${edge("│")}`);
  const rule = "─".repeat(inner + 2 - cellWidth(HEADING) - 1);
  return [edge(`╭─${HEADING}${rule}╮`), ...body, edge(`╰${"─".repeat(inner + 2)}╯`)];
}

function entryLines({ from, text }: RecapEntry, width: number): string[] {
  const name = from === "user" ? "● You: " : "◆ Hermes: ";
  const lines = wrapText(`${name}${text}`, width - 2);
  return lines.map((line, i) => (i === 0 ? line : `  ${line}`));
}

/** Dim, to set it apart from the current conversation; the marks show who spoke. */
function coloured(line: string, colors: Paper["colors"]): string {
  const mark = line[0];
  if (mark === "●") return colors.yellow(mark) + colors.dim(line.slice(1));
  return mark === "◆" ? colors.green(mark) + colors.dim(line.slice(1)) : colors.dim(line);
}
