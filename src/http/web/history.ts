/** Builds the page's messages from stored messages and the chat log. Pure. */
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

/** Records that the session doesn't have, by the client id of the person's message. */
export interface Extras {
  /** Files that people sent. */
  uploads: ReadonlyMap<string, ChatFile[]>;
  answers: ReadonlyMap<string, AnswerExtra>;
}

export interface AnswerExtra {
  turnId: string | null;
  usage: AnswerUsage | null;
  files: ChatFile[];
  /** Durations of tool calls, by id. */
  seconds: Readonly<Record<string, number>>;
}

const RESULT_CHARS = 2000;
/** How results of failed tool calls start. */
const FAILED = /^(?:Error|\{"success":false)/;

/** Oldest first. Tool results are part of their calls. */
export function shownMessages(rows: readonly ShownMessage[], extras: Extras): ChatMessage[] {
  const results = new Map(
    rows.flatMap((row) => (row.role === "tool" && row.toolCallId ? [[row.toolCallId, row]] : [])),
  );
  const lastOfTurns = lastAnswers(rows);
  let asked: string | null = null;
  let calls: SourceCall[] = [];
  return rows.flatMap((row, i): ChatMessage[] => {
    if (row.role === "user") {
      const message = fromPerson(row, extras);
      calls = [];
      if (message.from === "user") asked = message.undone ? null : message.clientId;
      return [message];
    }
    if (row.role !== "assistant") return [];
    const isLast = lastOfTurns.has(i);
    for (const { id, name: tool } of row.toolCalls)
      calls.push({ tool, result: results.get(id ?? "")?.text ?? "" });
    const sources = isLast ? sourcesOf(calls) : [];
    return [{ ...fromAgent(row, { asked, isLast, results, extras }), sources }];
  });
}

/** The indexes of each turn's last message of the agent. */
function lastAnswers(rows: readonly ShownMessage[]): Set<number> {
  const indexes = rows.flatMap(({ role }, i) => (role === "user" || role === "assistant" ? [i] : []));
  return new Set(indexes.filter((_, n) => rows[indexes[n + 1] ?? -1]?.role !== "assistant"));
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

/** The page's id of a person's message. An undone one may have been sent again, so it gets the row's id. */
export function userId({ id, platformMessageId, undone }: Identified): string {
  return platformMessageId === null || undone ? `m:${id}` : `u:${platformMessageId}`;
}

interface AnswerContext {
  asked: string | null;
  isLast: boolean;
  results: ReadonlyMap<string, ShownMessage>;
  extras: Extras;
}

function fromAgent(
  row: ShownMessage,
  { asked, isLast, results, extras }: AnswerContext,
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

/** Removes what was added for the agent: notes before the typed text, and lines for files after it. */
export function typedText(text: string, files: number): string {
  const lines = text.split("\n");
  while (lines.length > 0 && /^\[(?:Late|Note): .*\]$/.test(lines[0]!)) lines.shift();
  const isFile = (line: string | undefined) => line !== undefined && /^\[\w+: .*\]$/.test(line);
  for (let left = files; left > 0 && isFile(lines.at(-1)); left -= 1) lines.pop();
  return lines.join("\n");
}

// ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface FromLog {
  /** Commands, their replies, notices and questions. */
  messages: ChatMessage[];
  /** Messages of running turns that aren't stored yet. */
  running: ChatMessage[];
  queued: QueuedMessage[];
}

export interface SuspendedTurn {
  turnId: string;
  clientIds: string[];
  /** When its first message arrived. */
  at: number;
}

/** `known`: the client ids of stored messages. */
export function fromLog(
  entries: readonly ChatLogEntry[],
  known: ReadonlySet<string>,
  { uploads }: Extras,
  filesOf: (entry: ChatLogEntry) => ChatFile[],
): FromLog {
  const messages: ChatMessage[] = [];
  const running: ChatMessage[] = [];
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
    // Its turn is running, waits for a decision, or will be retried.
    const hasTurn = state === "running" || (state === "waiting" && entry.turnId !== null);
    // It has reached the session since the queues were read.
    const isStored = known.has(clientId);
    if (state === "waiting" && !hasTurn && !isStored) queued.push({ clientId, text, files, at });
    else if (isCommand || (hasTurn && !isStored))
      (isCommand ? messages : running).push({
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
  return { messages, running, queued };
}

/** Ids of notices about questions that failed and aren't in the shown branch, because they were asked again. */
export function noticesElsewhere(
  entries: readonly ChatLogEntry[],
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  const failedTurns = (isShown: boolean) =>
    entries.flatMap(({ turnId, written }) =>
      written?.state === "dead" && known.has(written.eventId) === isShown ? [turnId] : [],
    );
  const shown = new Set(failedTurns(true));
  const hidden = new Set(failedTurns(false).filter((turnId) => turnId !== null && !shown.has(turnId)));
  return new Set(
    entries.flatMap(({ id, kind, turnId }) => (kind === "notice" && hidden.has(turnId) ? [id] : [])),
  );
}

/** The turn that waits for the answer to a question. `wasAsked`: a question was just sent. */
export function suspendedIn(entries: readonly ChatLogEntry[], wasAsked: boolean): SuspendedTurn | undefined {
  if (!wasAsked && !entries.some(({ question }) => question?.state === "open")) return undefined;
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

/** Merges stored messages and those from the log by time. What runs comes after what is stored. */
export function merged(
  stored: readonly ChatMessage[],
  logged: readonly ChatMessage[],
  running: readonly ChatMessage[],
): ChatMessage[] {
  // A stored question has the time of its turn's end: the next one may have been sent before.
  const end = stored.at(-1)?.at ?? 0;
  const placed = [
    ...[...stored, ...logged].map((message) => ({ message, at: message.at })),
    ...running.map((message) => ({ message, at: Math.max(message.at, end) })),
  ];
  return placed.toSorted((a, b) => a.at - b.at).map(({ message }) => message);
}
