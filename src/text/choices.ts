/** Choices as a numbered list, and which choice a typed answer means. Pure. */
import type { Choice } from "../question.js";
import { graphemeStart } from "./graphemes.js";

const MAX_LABEL = 200;
/** No label is longer, so a longer answer is no choice. */
const MAX_ANSWER = 400;

/** For chats without buttons. Markdown; the labels are shown as they are. */
export function numberedList(text: string, choices: readonly Choice[]): string {
  const lines = choices.map(({ id, label }, i) => `${i + 1}. ${escaped(shortLabel(label, MAX_LABEL) || id)}`);
  return [text.trimEnd(), lines.join("\n")].filter((block) => block !== "").join("\n\n");
}

/** One line of at most so many UTF-16 units; may be empty. */
export function shortLabel(label: string, maxChars: number): string {
  // Without control characters and direction marks, which could hide what a button does.
  const line = [...label.slice(0, 4 * maxChars)]
    .filter((char) => !/[\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(char))
    .join("")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line.length <= maxChars) return line;
  return `${line.slice(0, graphemeStart(line, maxChars - 1)).trimEnd()}…`;
}

function escaped(label: string): string {
  return label
    .replace(/[\\`*_~[\]<>|&]/g, "\\$&")
    .replace(/^[#+=-]/, "\\$&")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

/**
 * The choice that an answer means: its number, label or id, or the beginning of one label only. Undefined: none, or it
 * could be several.
 */
export function readChoice(text: string, choices: readonly Choice[]): Choice | undefined {
  if (text.length > MAX_ANSWER) return undefined;
  const said = folded(text);
  if (said === "") return undefined;
  const labels = choices.map((choice) => ({ choice, label: folded(shortLabel(choice.label, MAX_LABEL)) }));
  const byName = labels.filter(({ choice, label }) => label === said || folded(choice.id) === said);
  const byNumber = choiceNumbered(said, choices);
  const meant = new Set([...byName.map(({ choice }) => choice), ...(byNumber ? [byNumber] : [])]);
  if (meant.size > 0) return only([...meant]);
  return only(labels.filter(({ label }) => label.startsWith(said)).map(({ choice }) => choice));
}

/** "2", "2.", "2)", "(2)", "#2". */
function choiceNumbered(said: string, choices: readonly Choice[]): Choice | undefined {
  const digits = /^[#(]?(\d{1,3})[.):]?$/.exec(said)?.[1];
  return digits === undefined ? undefined : choices[Number(digits) - 1];
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Arabic, Persian, Devanagari, Bengali and Thai; full-width digits are normalised. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

function folded(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[٠-٩۰-۹०-९০-৯๐-๙]/g, latinDigit)
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function latinDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.find((start) => code >= start && code < start + 10);
  return zero === undefined ? digit : String(code - zero);
}
