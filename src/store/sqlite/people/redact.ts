/**
 * Redacts one person from a shared session's rows. Pure. Their messages and the answers to them become a
 * mark; in other people's messages only quotes of them do.
 */
import type { SessionId } from "../../../session.js";
import { SUMMARY_END, SUMMARY_PREFIX } from "../../../summary-marks.js";
import { type MessageChange, THOUGHT_COLUMNS } from "../../people.js";
import { decodeContent, decodeJsonList, plainText } from "../../shared/content.js";
import type { StoredMessage } from "../messages.js";

export const ERASED = "[erased]";

export interface SharedRows {
  id: SessionId;
  parentId: SessionId | null;
  /** Something in it names them, so it may be more than a quote. */
  known: boolean;
  rows: readonly StoredMessage[];
  /** It began in a direct chat with them: they wrote every message without another author. */
  belongsToThem: boolean;
}

export interface Whose {
  /** Messages with a stored author: true if it is this person. */
  authors: ReadonlyMap<number, boolean>;
  /** `<session> <platform's message id>` of theirs: platforms number messages per chat. */
  messageIds: ReadonlySet<string>;
  names: readonly string[];
}

/** Which rows of these sessions they wrote. */
export function rowsOf(sessions: readonly SharedRows[], whose: Whose): Set<number> {
  const asked = sessions.flatMap(({ rows, belongsToThem }) =>
    rows.filter(isAsked).map((row) => ({ row, said: spoken(row), belongsToThem, is: noted(row, whose) })),
  );
  // Summaries and branches copy rows into other sessions, word for word and without their author.
  const copies = (is: boolean) => new Set(asked.filter((one) => one.is === is).map(({ said }) => said));
  const [theirs, others] = [copies(true), copies(false)];
  const isTheirs = ({ said, belongsToThem, is }: (typeof asked)[number]) => {
    if (is !== undefined) return is;
    if (theirs.has(said) || others.has(said)) return theirs.has(said);
    return belongsToThem || whose.names.includes(nameBefore(said));
  };
  return new Set(asked.filter(isTheirs).map(({ row }) => row.id));
}

/** It isn't only a summary. */
const isAsked = (row: StoredMessage) => row.role === "user" && spoken(row) !== "";

/** The text of a row, without a summary before it. */
function spoken({ content }: StoredMessage): string {
  const text = plainText(decodeContent(content));
  if (!text.startsWith(SUMMARY_PREFIX)) return text;
  const end = text.indexOf(SUMMARY_END);
  return end === -1 ? "" : text.slice(end + SUMMARY_END.length).trimStart();
}

function noted(row: StoredMessage, { authors, messageIds }: Whose): boolean | undefined {
  const author = authors.get(row.id);
  if (author !== undefined) return author;
  return messageIds.has(`${row.session_id} ${row.platform_message_id}`) ? true : undefined;
}

/** Redacts others' messages first, because quotes are found by the person's own text, which goes next. `texts`: other texts they are known to have written. */
export function redactions(
  sessions: readonly SharedRows[],
  theirs: ReadonlySet<number>,
  { names, texts }: { names: readonly string[]; texts: readonly string[] },
): { changes: MessageChange[]; words: Words } {
  const rows = sessions.flatMap((session) => session.rows);
  const wrote = rows.filter(({ id }) => theirs.has(id)).flatMap((row) => bodies(spoken(row), names));
  const changed = rows.filter(isAsked).flatMap((row) => notedWords(spoken(row), names));
  const words = wordsIn([...wrote, ...changed, ...texts]);
  const parts: MessageChange[] = [];
  const wholes: MessageChange[] = [];
  const tellsOfThem = new Set<SessionId | null>();
  for (const session of sessions) {
    const { id, parentId, known } = session;
    // It continues another session, so its summaries may contain their text from there.
    const summaries = known ? parentId !== null : tellsOfThem.has(parentId);
    const before = parts.length;
    let answersThem = false;
    for (const row of session.rows) {
      if (isAsked(row)) answersThem = theirs.has(row.id);
      if (answersThem && isSaid(row)) wholes.push(...wholeChange(row));
      else parts.push(...partChange(row, { words, names, summaries }));
    }
    const quotesThem = parts.length > before || session.rows.some(({ content }) => content?.includes(ERASED));
    if (known || summaries || quotesThem) tellsOfThem.add(id);
  }
  return { changes: [...parts, ...wholes], words };
}

/** Text before the first message comes from the gateway. */
const isSaid = ({ role }: StoredMessage) => role !== "system" && role !== "session_meta";

function wholeChange(row: StoredMessage): MessageChange[] {
  const thoughts = THOUGHT_COLUMNS.filter((name) => row[name] !== null).map((name) => [name, null]);
  const change: MessageChange = {
    id: row.id,
    whole: true,
    ...(row.content === null || row.content === "" ? {} : { content: ERASED }),
    ...(row.tool_calls === null ? {} : { toolCalls: emptyCalls(row.tool_calls) }),
    thoughts: Object.fromEntries(thoughts),
  };
  return isChanged(row, change) || row.platform_message_id !== null ? [change] : [];
}

/** Keeps tool names, so that every result has its call, and removes their arguments. */
function emptyCalls(stored: string): string | null {
  const calls = decodeJsonList(stored) as { function?: object }[] | null;
  const emptied = calls?.map((call) =>
    call.function ? { ...call, function: { ...call.function, arguments: "{}" } } : call,
  );
  return emptied ? JSON.stringify(emptied) : null;
}

interface Scrub {
  words: Words;
  names: readonly string[];
  /** Whether to remove summaries. */
  summaries: boolean;
}

function partChange(row: StoredMessage, { words, names, summaries }: Scrub): MessageChange[] {
  const without = (text: string) =>
    isAsked(row) ? withoutQuotes(withoutNotes(text, names), words) : withoutRepeats(text, words, names);
  const content = row.content && withoutSummary(row.content, summaries, without);
  const thoughts = THOUGHT_COLUMNS.map(
    (name) => [name, row[name] && withoutWords(row[name], words)] as const,
  );
  const change: MessageChange = {
    id: row.id,
    whole: false,
    ...(content === row.content ? {} : { content }),
    ...(row.tool_calls ? { toolCalls: withoutWords(row.tool_calls, words) } : {}),
    thoughts: Object.fromEntries(thoughts.filter(([name, text]) => text !== row[name])),
  };
  return isChanged(row, change) ? [change] : [];
}

/** Splits a summary from the text after it: summaries have no single author. */
function withoutSummary(stored: string, goes: boolean, rest: (text: string) => string): string {
  const start = stored.indexOf(SUMMARY_PREFIX);
  const end = stored.indexOf(SUMMARY_END);
  const isSummary = goes && plainText(decodeContent(stored)).startsWith(SUMMARY_PREFIX) && end > start;
  if (!isSummary) return rest(stored);
  const lineBreak = stored.startsWith(SUMMARY_PREFIX) ? "\n" : "\\n";
  const empty = stored.slice(0, start) + SUMMARY_PREFIX + lineBreak + ERASED + lineBreak + SUMMARY_END;
  return empty + rest(stored.slice(end + SUMMARY_END.length));
}

function isChanged(row: StoredMessage, { content, toolCalls, thoughts = {} }: MessageChange): boolean {
  if (content !== undefined && content !== row.content) return true;
  if (toolCalls !== undefined && toolCalls !== row.tool_calls) return true;
  return Object.keys(thoughts).length > 0;
}

// --- words --------------------------------------------------------------------------------------------------------

export interface Words {
  /** Everything they wrote, in the form a quote may repeat it. */
  all: ReadonlySet<string>;
  /** Phrases that are long enough to be theirs anywhere, as text and as in JSON, by their beginning; longest first. */
  distinct: ReadonlyMap<string, readonly string[]>;
}

const DISTINCT_CHARS = 12;

export function wordsIn(texts: readonly string[]): Words {
  const all = new Set(texts.map((text) => text.trim()).filter((text) => text !== "" && text !== ERASED));
  const forms = new Set([...all].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  const distinct = new Map<string, string[]>();
  for (const text of [...forms].toSorted((a, b) => b.length - a.length)) {
    if (text.length < DISTINCT_CHARS) continue;
    const head = text.slice(0, DISTINCT_CHARS);
    const same = distinct.get(head);
    if (same) same.push(text);
    else distinct.set(head, [text]);
  }
  return { all, distinct };
}

const IS_NOTE = /^\[(?:Note|Late): /;
const IS_FILE = /^\[\w+: .*\]$/;

/** A message as the agent saw it → the person's own text: without name, notes, quotes and files. */
function bodies(content: string, names: readonly string[]): string[] {
  const lines = content.split("\n").filter((line) => !IS_NOTE.test(line));
  const name = nameBefore(lines.join("\n"));
  const body = lines.join("\n").slice(names.includes(name) ? name.length + "[] ".length : 0);
  const said = body.split("\n").filter((line) => !line.startsWith("> ") && !IS_FILE.test(line));
  return [body, said.join("\n")];
}

const NOTE_START = "[Note: ";
const NOTE_OF = "'s earlier message ";

/**
 * `[Note: Ann's earlier message …]`: a change of a message, given to the agent with the next one. The agent may
 * have repeated it anywhere in a line; it ends with the line's last bracket.
 */
function changeNote(line: string): { start: number; end: number; name: string } | undefined {
  const start = line.indexOf(NOTE_START);
  if (start === -1) return undefined;
  const of = line.indexOf(NOTE_OF, start + NOTE_START.length);
  const end = line.lastIndexOf("]") + 1;
  if (of === -1 || end <= of + NOTE_OF.length) return undefined;
  return { start, end, name: line.slice(start + NOTE_START.length, of) };
}

function withoutNotes(text: string, names: readonly string[]): string {
  const lines = text.split("\n").map((line) => {
    const note = changeNote(line);
    if (!note || !names.includes(note.name)) return line;
    return `${line.slice(0, note.start)}${NOTE_START}${ERASED}]${line.slice(note.end)}`;
  });
  return lines.join("\n");
}

/** Their texts in such notes, before and after the change. */
function notedWords(content: string, names: readonly string[]): string[] {
  return content.split("\n").flatMap((line) => {
    const note = changeNote(line);
    if (!note || !names.includes(note.name)) return [];
    const quoted = line.slice(note.start, note.end).match(JSON_STRING) ?? [];
    return quoted.flatMap(parsed).map((text) => text.replace(/…$/, ""));
  });
}

/** An unterminated string extends to the end of the text, to keep matching linear. */
const JSON_STRING = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

/** Anyone can write a note of that shape; if it isn't JSON, it isn't ours. */
function parsed(json: string): string[] {
  try {
    return [String(JSON.parse(json))];
  } catch {
    return [];
  }
}

/** `[Ann] hello` → Ann. Empty without a name. */
export function nameBefore(content: string): string {
  const said = content.split("\n").find((line) => !IS_NOTE.test(line)) ?? "";
  return /^\[([^\]\n]+)\] /.exec(said)?.[1] ?? "";
}

/** The agent's answers to others, without repetitions of the person's text. */
export function withoutRepeats(text: string, words: Words, names: readonly string[]): string {
  return withoutWords(withoutNotes(text, names), words);
}

/** One pass, however many phrases there are. */
export function withoutWords(text: string, { distinct }: Words): string {
  if (distinct.size === 0) return text;
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at + DISTINCT_CHARS <= text.length; at += 1) {
    const found = distinct
      .get(text.slice(at, at + DISTINCT_CHARS))
      ?.find((words) => text.startsWith(words, at));
    if (found === undefined) continue;
    kept.push(text.slice(from, at), ERASED);
    from = at + found.length;
    at = from - 1;
  }
  return kept.length === 0 ? text : kept.join("") + text.slice(from);
}

const QUOTE_BLOCK = /(^|^\[[^\]\n\r\u2028\u2029]+\] )((?:> .*(?:\n|$))+)/gm;

/** Quotes of their messages in messages of others. */
function withoutQuotes(text: string, words: Words): string {
  return text.replace(QUOTE_BLOCK, (block, before: string, quote: string) => {
    if (!quotes(quote.replace(/^> /gm, ""), words)) return block;
    return `${before}> ${ERASED}${quote.endsWith("\n") ? "\n" : ""}`;
  });
}

/** A quote is all of a message or, where it is long enough, a part of it. */
export function quotes(quoted: string, words: Words): boolean {
  const text = quoted.trim();
  if (words.all.has(text) || withoutWords(text, words) !== text) return true;
  return text.length >= DISTINCT_CHARS && [...words.all].some((whole) => whole.includes(text));
}
