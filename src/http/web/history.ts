/** Stored messages and the log of a conversation → what the page shows. Pure. */
import type {
  AnswerMessage,
  AnswerUsage,
  ChatFile,
  ChatMessage,
  NoticeMessage,
  QueuedMessage,
  ToolCall,
  UserMessage,
} from "../../adapters/web/api.js";
import { buttonsFor } from "../../adapters/web/questions.js";
import { readTags } from "../../media/tags.js";
import { decidedText } from "../../pipeline/question-message.js";
import type { ChatLogEntry } from "../../store/queues.js";
import type { ShownMessage } from "../../store/reports.js";
import { SUMMARY_END, SUMMARY_PREFIX } from "../../summary-marks.js";
import { type SourceCall, sourcesOf } from "./sources.js";

/** What is kept beside the session, by the page's id of a question. */
export interface Extras {
  /** Files that people sent. */
  uploads: ReadonlyMap<string, ChatFile[]>;
  /** About the answer to it. */
  answers: ReadonlyMap<string, AnswerExtra>;
}

export interface AnswerExtra {
  turnId: string | null;
  usage: AnswerUsage | null;
  files: ChatFile[];
  /** How long calls took, by their ids. */
  seconds: Readonly<Record<string, number>>;
}

const RESULT_CHARS = 2000;
/** As tools of ours and of others say it. */
const FAILED = /^(?:Error|\{"success":false)/;

/** Oldest first. Results of tools are part of their calls. */
export function shownMessages(rows: readonly ShownMessage[], extras: Extras): ChatMessage[] {
  const results = new Map(
    rows.flatMap((row) => (row.role === "tool" && row.toolCallId ? [[row.toolCallId, row]] : [])),
  );
  const ends = lastWords(rows);
  let asked: string | null = null;
  let called: SourceCall[] = [];
  return rows.flatMap((row, i): ChatMessage[] => {
    if (row.role === "user") {
      const message = fromPerson(row, extras);
      called = [];
      if (message.from === "user") asked = message.undone ? null : message.clientId;
      return [message];
    }
    if (row.role !== "assistant") return [];
    const isLast = ends.has(i);
    for (const { id, name: tool } of row.toolCalls)
      called.push({ tool, result: results.get(id ?? "")?.text ?? "" });
    const sources = isLast ? sourcesOf(called) : [];
    return [{ ...fromAgent(row, { asked, isLast, results, extras }), sources }];
  });
}

/** The agent's messages that a person's follows, or none: the last words of their turns. */
function lastWords(rows: readonly ShownMessage[]): Set<number> {
  const spoken = rows.flatMap(({ role }, i) => (role === "user" || role === "assistant" ? [i] : []));
  return new Set(spoken.filter((_, n) => rows[spoken[n + 1] ?? -1]?.role !== "assistant"));
}

function fromPerson(row: ShownMessage, { uploads }: Extras): UserMessage | NoticeMessage {
  const { id, at, platformMessageId: clientId, undone, text } = row;
  if (text.startsWith(SUMMARY_PREFIX)) return summary(row);
  const files = (clientId && uploads.get(clientId)) || [];
  return {
    ...{ from: "user", id: userId(row), position: id, at, clientId, undone, files },
    text: typedText(text, files.length),
  };
}

function summary({ id, at, text }: ShownMessage): NoticeMessage {
  const [words = ""] = text.slice(SUMMARY_PREFIX.length).split(SUMMARY_END, 1);
  const shown = `Earlier messages were summarised:\n\n${words.trim()}`;
  return {
    from: "gateway",
    kind: "notice",
    id: `m:${id}`,
    position: id,
    at,
    text: shown,
    files: [],
    buttons: [],
  };
}

export type Identified = Pick<ShownMessage, "id" | "platformMessageId" | "undone">;

/** Of an undone message, whose question may have been asked again, the row's own. */
export function userId({ id, platformMessageId, undone }: Identified): string {
  return platformMessageId === null || undone ? `m:${id}` : `u:${platformMessageId}`;
}

interface Around {
  asked: string | null;
  isLast: boolean;
  results: ReadonlyMap<string, ShownMessage>;
  extras: Extras;
}

function fromAgent(
  row: ShownMessage,
  { asked, isLast, results, extras }: Around,
): Omit<AnswerMessage, "sources"> {
  const { id, at, undone, finishReason, reasoning, toolCalls } = row;
  const final = isLast && toolCalls.length === 0;
  const about = asked !== null && !undone ? extras.answers.get(asked) : undefined;
  const extra = final ? about : undefined;
  return {
    ...{
      from: "agent",
      id: final && asked !== null && !undone ? answerId(asked) : `m:${id}`,
      position: id,
      at,
    },
    ...{ undone, final, reasoning, text: readTags(row.text).text },
    stopped: finishReason === "stopped" || finishReason === "interrupted",
    tools: toolCalls.map((call) => shownCall(call, results.get(call.id ?? ""), about?.seconds)),
    ...{ turnId: extra?.turnId ?? null, usage: extra?.usage ?? null, files: extra?.files ?? [] },
  };
}

export function answerId(clientId: string): string {
  return `a:${clientId}`;
}

function shownCall(
  call: ShownMessage["toolCalls"][number],
  result: ShownMessage | undefined,
  seconds: AnswerExtra["seconds"] = {},
): ToolCall {
  const { id, name: tool, arguments: args } = call;
  const state = FAILED.test(result?.text ?? "") ? "failed" : "done";
  const shown = result ? result.text.slice(0, RESULT_CHARS) : null;
  const took = (id !== null && Object.hasOwn(seconds, id) ? seconds[id] : undefined) ?? null;
  return { callId: id ?? tool, tool, args: args.slice(0, RESULT_CHARS), state, result: shown, seconds: took };
}

/** The agent reads notes before the words, and a line for each file behind them. */
export function typedText(text: string, files: number): string {
  const lines = text.split("\n");
  while (lines.length > 0 && /^\[(?:Late|Note): .*\]$/.test(lines[0]!)) lines.shift();
  const isFile = (line: string | undefined) => line !== undefined && /^\[\w+: .*\]$/.test(line);
  for (let left = files; left > 0 && isFile(lines.at(-1)); left -= 1) lines.pop();
  return lines.join("\n");
}

// ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface FromLog {
  /** Commands, their replies, notices and questions; a question that its turn hasn't stored yet. */
  messages: ChatMessage[];
  queued: QueuedMessage[];
}

export interface SuspendedTurn {
  turnId: string;
  clientIds: string[];
  /** When its first message came. */
  at: number;
}

/** `known`: the page's ids of stored questions. */
export function fromLog(
  entries: readonly ChatLogEntry[],
  known: ReadonlySet<string>,
  { uploads }: Extras,
  filesOf: (entry: ChatLogEntry) => ChatFile[],
): FromLog {
  const messages: ChatMessage[] = [];
  const queued: QueuedMessage[] = [];
  for (const entry of entries) {
    if (entry.from === "bot") {
      if (entry.kind !== "answer" || entry.turnId === null) messages.push(fromGateway(entry, filesOf(entry)));
      continue;
    }
    const { eventId: clientId, state, reason } = entry.written!;
    const files = uploads.get(clientId) ?? [];
    const { text, at } = entry;
    const isCommand = reason?.startsWith("/") ?? false;
    // Its turn runs, waits for a decision, or is tried again.
    const isBegun = state === "running" || (state === "waiting" && entry.turnId !== null);
    if (state === "waiting" && !isBegun) queued.push({ clientId, text, files, at });
    else if (isCommand || (isBegun && !known.has(clientId)))
      messages.push({
        from: "user",
        id: `u:${clientId}`,
        position: 0,
        at,
        clientId,
        text,
        files,
        undone: false,
      });
  }
  return { messages, queued };
}

/** The turn that waits for the answer to an open question; `isAsked`: one was just sent. */
export function suspendedIn(entries: readonly ChatLogEntry[], isAsked: boolean): SuspendedTurn | undefined {
  if (!isAsked && !entries.some(({ question }) => question?.state === "open")) return undefined;
  const begun = entries.findLast(({ written, turnId: id }) => written?.state === "waiting" && id !== null);
  const turnId = begun?.turnId ?? null;
  if (turnId === null) return undefined;
  const asked = entries.filter((entry) => entry.turnId === turnId && entry.written?.state === "waiting");
  const clientIds = asked.map(({ written }) => written!.eventId);
  return asked[0] && { turnId, clientIds, at: asked[0].at };
}

function fromGateway(entry: ChatLogEntry, files: ChatFile[]): NoticeMessage {
  const { id, at, question, kind } = entry;
  const isOpen = question?.state === "open";
  return {
    ...{ from: "gateway", id, position: 0, at, files },
    kind: question ? "question" : kind === "command" ? "command" : "notice",
    text: question && !isOpen ? decidedText(question) : entry.text,
    buttons: isOpen ? [...(buttonsFor({ id: question.id, choices: question.choices }).buttons ?? [])] : [],
  };
}

/** By time: what is only in the log comes where it happened. */
export function merged(stored: readonly ChatMessage[], logged: readonly ChatMessage[]): ChatMessage[] {
  return [...stored, ...logged].toSorted((a, b) => a.at - b.at);
}
