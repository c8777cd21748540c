/** First exchange → a name for the session. */
import { sanitizeTitle } from "../title.js";
import type { Auxiliary } from "./backend.js";

const SYSTEM =
  "You name conversations. Answer with a title of 3 to 7 words for the exchange below, in the language of the user. " +
  "The title alone: no quotes, no punctuation at the end, no prefix.";

const MOST_INPUT_CHARS = 500;
const MOST_TITLE_CHARS = 80;
const MAX_TOKENS = 500;
const TEMPERATURE = 0.3;
const WORDS_WITHOUT_MODEL = 6;

export interface Exchange {
  userText: string;
  answer: string;
}

/** Nothing when the model fails, which is told: the next exchange may have better luck. */
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
  return Array.from(text.slice(0, 2 * MOST_INPUT_CHARS))
    .slice(0, MOST_INPUT_CHARS)
    .join("");
}

/** Models explain themselves: what counts is the first line after their thoughts. */
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

/** By hand: a pattern for the end of a text begins anew at each character of a long row. */
function trimEndWhile(text: string, isTrimmed: (char: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isTrimmed(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Messages may be megabytes: their first words are not far from the beginning. */
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
  const short =
    chars.length > MOST_TITLE_CHARS ? `${chars.slice(0, MOST_TITLE_CHARS - 3).join("")}...` : text;
  return sanitizeTitle(short) ?? undefined;
}
