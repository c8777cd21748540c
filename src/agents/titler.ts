/** Titles a session from its first exchange. */
import { sanitizeTitle } from "../title.js";
import type { Auxiliary } from "./backend.js";

const SYSTEM =
  "You name conversations. Answer with a title of 3 to 7 words for the exchange below, in the language of the user. " +
  "The title alone: no quotes, no punctuation at the end, no prefix.";

const MAX_INPUT_CHARS = 500;
const MAX_TITLE_CHARS = 80;
const MAX_TOKENS = 500;
const TEMPERATURE = 0.3;
const WORDS_WITHOUT_MODEL = 6;

export interface Exchange {
  userText: string;
  answer: string;
}

/** Undefined if the model fails; the failure is reported and the next exchange tries again. */
export async function makeTitle(
  auxiliary: Auxiliary,
  exchange: Exchange,
  signal: AbortSignal,
  failed: (reason: string) => void = () => undefined,
): Promise<string | undefined> {
  const prompt = `User: ${head(exchange.userText)}\n\nAssistant: ${head(exchange.answer)}`;
  try {
    const request = { system: SYSTEM, prompt, maxTokens: MAX_TOKENS, temperature: TEMPERATURE };
    const written = await auxiliary.complete("title_generation", request, signal);
    return written === undefined ? titleFromText(exchange.userText) : cleanTitle(written);
  } catch (error) {
    if (!signal.aborted) failed(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function head(text: string): string {
  return Array.from(text.slice(0, 2 * MAX_INPUT_CHARS))
    .slice(0, MAX_INPUT_CHARS)
    .join("");
}

/** The first line after any reasoning: models like to explain themselves. */
export function cleanTitle(written: string): string | undefined {
  const answer = written.replace(/<think>[\s\S]*?(<\/think>|$)/g, "").trim();
  const [line = ""] = answer.split("\n", 1);
  const bare = unquote(unquote(line.slice(0, LOOKED_AT_CHARS)).replace(/^title\s*:\s*/i, ""));
  return shortTitle(bare.replace(/(?<!\.)\.$/, ""));
}

const isQuote = (char: string) => /["'`“”‘’«»*\s]/.test(char);

function unquote(text: string): string {
  return trimEndWhile(text.replace(/^["'`“”‘’«»*#\s]+/, ""), isQuote);
}

/** By hand: a pattern anchored at the end would be quadratic on long runs. */
function trimEndWhile(text: string, isTrimmed: (char: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isTrimmed(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Messages can be megabytes; only their start matters. */
const LOOKED_AT_CHARS = 4000;

/** The first words of a message, without its markup. */
export function titleFromText(text: string): string | undefined {
  const words = withoutMarkdown(text.slice(0, LOOKED_AT_CHARS)).split(/\s+/).filter(Boolean);
  const start = words.slice(0, WORDS_WITHOUT_MODEL).join(" ");
  return shortTitle(trimEndWhile(start, (char) => /[.,;:!?]/.test(char)));
}

function withoutMarkdown(text: string): string {
  return text
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/!?\[([^[\]]*)\]\([^()[]*(?:\([^()[]*\)[^()[]*)?\)/g, "$1")
    .replace(/^\[[^\]\n]{1,64}\]\s+/, "") // the sender, in shared sessions
    .replace(/^[ \t]*(?:[#>]+|[-*+]|\d+\.)(?:[ \t]+|$)/gm, "")
    .replace(/[*`~]+|_+/g, (marks, at: number, whole: string) => {
      const isInWord = marks.startsWith("_") && isWordy(whole[at - 1]) && isWordy(whole[at + marks.length]);
      return isInWord ? marks : "";
    });
}

function isWordy(char: string | undefined): boolean {
  return char !== undefined && /\w/.test(char);
}

function shortTitle(text: string): string | undefined {
  const chars = Array.from(text);
  const short = chars.length > MAX_TITLE_CHARS ? `${chars.slice(0, MAX_TITLE_CHARS - 3).join("")}...` : text;
  return sanitizeTitle(short) ?? undefined;
}
