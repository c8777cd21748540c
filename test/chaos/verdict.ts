/**
 * What was written, what people see, what is in state.db → how often each promise was broken. Pure.
 *
 * - lost: a stretch of some answer is to be seen nowhere. Where the platform's description says that its service loses
 *   messages, those that the emulated service dropped are counted apart, as documented losses.
 * - run twice: a question is in more than one finished turn.
 * - out of order: in one conversation (a direct chat, a thread, one person's part of a group) the answer to a later
 *   message comes before the answer to an earlier one. What the platform itself delivered in another order is judged
 *   by no order: messages of one round in which its events were turned around, unless they carry numbers by which their
 *   order can be known. Before and after such a round order counts as ever.
 * - repeated: a stretch of an answer is to be seen more than once. Where the description promises no more, a repeat is
 *   forgiven if it says that it may be one, if the connection was cut or the daemon died between the two copies, and
 *   if the outbox didn't have the first one as sent when the daemon died. The same goes
 *   for a preview without words of the answer, which shows the tools that run.
 * - misplaced: an answer is in another chat than its question. Stray: the bot said something that answers nothing.
 */
import type { CrashPromises } from "../../src/adapters/platform.js";
import type { FaultKind } from "./platform.js";

export interface Said {
  number: number;
  place: string;
  conversation: string;
  tokens: readonly string[];
  /** Of messages whose events the platform turned around together. */
  batch: number | undefined;
  deathsBefore: number;
  atMs: number;
}

export interface Seen {
  place: string;
  text: string;
  atMs: number;
}

export interface Evidence {
  platform: string;
  /** Of its description. */
  promises: CrashPromises;
  /** Tokens of messages that the service itself dropped. */
  droppedTokens: readonly string[];
  said: readonly Said[];
  /** Oldest first in each place. */
  seen: readonly Seen[];
  deathsAtMs: readonly number[];
  cutsAtMs: readonly number[];
  /** Tokens that stood in the outbox as sent when the daemon had died: when that was first. */
  settledAtMs: Readonly<Record<string, number>>;
  faults: Record<FaultKind, number>;
  /** Last words of processes that ended by themselves. */
  crashes: readonly string[];
  stored: {
    /** Rows that are not at their end. */
    open: readonly string[];
    /** Texts of the answers in the outbox. */
    answers: readonly string[];
    /** Texts of the questions in the history. */
    questions: readonly string[];
  };
  logs: readonly string[];
  home: string;
}

export interface Verdict {
  lost: string[];
  /** Messages that the service itself lost, as its description says. */
  documentedLosses: number;
  runTwice: string[];
  outOfOrder: string[];
  repeated: string[];
  /** Repeats that are forgiven. */
  markedRepeats: number;
  /** Answers in the wrong place, words that answer nothing, rows left open, processes that fell over. */
  other: string[];
}

const TOKEN = /\bm\d+x\d+\b/g;
const MARK = "may be a repeat";
/** No process sends anything so soon after its start: what comes then was sent by the one that died. */
const LATE_MS = 100;
/** Of an unfinished answer. */
const CURSOR = "▉";

export function judge(evidence: Evidence): Verdict {
  const { said, seen, stored, crashes } = evidence;
  const copies = copiesOf(seen);
  const repeats = said.flatMap((message) => repeatsOf(message, copies));
  const forgiven = new Set(repeats.filter((repeat) => isForgiven(repeat, evidence)));
  const wordless = seen.filter(({ text }) => tokensIn(text).length === 0);
  const left = wordless.filter((one) => isLeftPreview(one, evidence));
  const missing = said.filter(({ tokens }) => !tokens.every((token) => copies.has(token)));
  const documented = missing.filter((message) => isDocumentedLoss(message, evidence));
  const mayMark = evidence.promises.outbound.repeats === "marked";
  const messages = (of: readonly Repeat[]) => [...new Set(of.map(({ message }) => message))];
  return {
    lost: missing.filter((message) => !documented.includes(message)).map(describe),
    documentedLosses: documented.length,
    runTwice: said
      .filter(
        ({ tokens: [first] }) => times(stored.answers, first!) > 1 || times(stored.questions, first!) > 1,
      )
      .map(describe),
    outOfOrder: inversions(said, seen),
    repeated: messages(repeats.filter((repeat) => !forgiven.has(repeat))).map(describe),
    markedRepeats: messages([...forgiven]).length + left.length,
    other: [
      ...misplaced(said, copies),
      ...wordless
        .filter((one) => !left.includes(one) && !(mayMark && isMarkAlone(one)))
        .map(({ place, text }) => `stray in ${place}: ${text}`),
      ...stored.open.map((row) => `left open: ${row}`),
      ...crashes.map((words) => `the daemon fell over: ${words}`),
    ],
  };
}

export function isKept({ lost, runTwice, outOfOrder, repeated, other }: Verdict): boolean {
  return [lost, runTwice, outOfOrder, repeated, other].every((broken) => broken.length === 0);
}

function isDocumentedLoss({ tokens }: Said, { promises, droppedTokens }: Evidence): boolean {
  return promises.inbound.loses === "some" && tokens.some((token) => droppedTokens.includes(token));
}

export function answeredTokens(seen: readonly Seen[]): Set<string> {
  return new Set(seen.flatMap(({ text }) => tokensIn(text)));
}

export function tokensIn(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

function times(texts: readonly string[], token: string): number {
  return texts.reduce((sum, text) => sum + tokensIn(text).filter((found) => found === token).length, 0);
}

function describe({ number, conversation }: Said): string {
  return `message ${number} in ${conversation}`;
}

// ── repeats ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Copy {
  seen: Seen;
  /** Among all that is seen. */
  index: number;
}

function copiesOf(seen: readonly Seen[]): Map<string, Copy[]> {
  const copies = new Map<string, Copy[]>();
  for (const [index, one] of seen.entries())
    for (const token of tokensIn(one.text))
      copies.set(token, [...(copies.get(token) ?? []), { seen: one, index }]);
  return copies;
}

interface Repeat {
  message: Said;
  token: string;
  before: Copy;
  again: Copy;
}

function repeatsOf(message: Said, copies: Map<string, Copy[]>): Repeat[] {
  return message.tokens.flatMap((token) => {
    const found = copies.get(token) ?? [];
    return found.slice(1).map((again, i) => ({ message, token, before: found[i]!, again }));
  });
}

function isForgiven(repeat: Repeat, evidence: Evidence): boolean {
  if (evidence.promises.outbound.repeats === "never" || !isMarked(repeat.again, evidence.seen)) return false;
  return isOutcomeUnknown(repeat, evidence);
}

/** The repeated part itself is marked, or follows the mark if both don't fit into one message. */
function isMarked({ seen: { text, place }, index }: Copy, seen: readonly Seen[]): boolean {
  const previous = seen.slice(0, index).findLast((other) => other.place === place);
  return text.includes(MARK) || (previous !== undefined && isMarkAlone(previous));
}

/** How long ago it was doesn't matter: a busy machine may take any time from a send to a death. */
function isOutcomeUnknown({ token, before, again }: Repeat, evidence: Evidence): boolean {
  const isSettled = (evidence.settledAtMs[token] ?? Number.POSITIVE_INFINITY) <= again.seen.atMs;
  return !isSettled && wasCutOff(before.seen, again.seen.atMs, evidence);
}

/** The daemon died or the connection was cut between the two. */
function wasCutOff(first: Seen, againAtMs: number, { deathsAtMs, cutsAtMs }: Evidence): boolean {
  const from = first.atMs - LATE_MS;
  return [...deathsAtMs, ...cutsAtMs].some((atMs) => atMs >= from && atMs <= againAtMs);
}

/** The answer came as another message, which says that it may be a repeat. */
function isLeftPreview(one: Seen, evidence: Evidence): boolean {
  const { promises, seen } = evidence;
  if (promises.outbound.repeats === "never" || !one.text.endsWith(CURSOR)) return false;
  const later = seen.slice(seen.indexOf(one) + 1).filter(({ place }) => place === one.place);
  const again = later.find(({ text }) => text.includes(MARK));
  return again !== undefined && wasCutOff(one, again.atMs, evidence);
}

function isMarkAlone({ text }: Seen): boolean {
  return text === `(This ${MARK}.)`;
}

// ── order and place ─────────────────────────────────────────────────────────────────────────────────────────────────

function inversions(said: readonly Said[], seen: readonly Seen[]): string[] {
  const order = new Map<string, number>();
  for (const token of seen.flatMap(({ text }) => tokensIn(text)))
    if (!order.has(token)) order.set(token, order.size);
  const placeOf = ({ tokens }: Said) => order.get(tokens[0]!);
  return said.flatMap((message, i) => {
    const later = said.slice(i + 1).find((other) => overtook(message, other, placeOf));
    return later ? [`${describe(message)} after message ${later.number}`] : [];
  });
}

function overtook(earlier: Said, later: Said, placeOf: (said: Said) => number | undefined): boolean {
  if (earlier.conversation !== later.conversation) return false;
  if (earlier.batch !== undefined && earlier.batch === later.batch) return false;
  const [one, other] = [placeOf(earlier), placeOf(later)];
  return one !== undefined && other !== undefined && other < one;
}

function misplaced(said: readonly Said[], copies: Map<string, Copy[]>): string[] {
  return said.flatMap((message) =>
    message.tokens.flatMap((token) =>
      (copies.get(token) ?? [])
        .filter(({ seen }) => seen.place !== message.place)
        .map(({ seen }) => `${describe(message)} was answered in ${seen.place}`),
    ),
  );
}
