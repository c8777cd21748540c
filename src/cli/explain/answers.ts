/** Reads questions from JSON lines or flags and prints the answers. */
import { describeError, HermesError } from "../../errors.js";
import type { SourceRecord } from "../../sessions/key.js";
import { Misuse } from "../failure.js";
import { io } from "../io.js";
import { readLines } from "../lines.js";
import { print, printJson, writeOut } from "../output.js";

/** An answer: one line, the reason, and all facts for `--json`. */
export interface Answer {
  line: string;
  because: string;
  facts: Readonly<Record<string, unknown>>;
}

/** Questions come as JSON in the shape of the vectors, or are made from flags. */
export type Question = Readonly<Record<string, unknown>>;
export type Ask = (question: Question) => Answer;

export async function answer(
  questions: string | undefined,
  options: { json?: boolean },
  ask: Ask,
  fromFlags: () => Question,
): Promise<void> {
  if (questions === "-") return answerLines(ask, options.json);
  if (questions !== undefined) {
    throw new Misuse(`Can't read '${questions}'.`, "Use flags, or - to read JSON lines.");
  }
  show(ask(fromFlags()), options.json);
}

export function show({ line, because, facts }: Answer, json: boolean | undefined): void {
  if (json) printJson({ ...facts, because });
  else print(`${line}\nbecause: ${because}`);
}

/** One answer per line, in the order of the questions; a line that can't be parsed gets an error as its answer. */
export async function answerLines(ask: Ask, json: boolean | undefined): Promise<void> {
  for await (const { number, text } of readLines(io().stdin)) {
    if (text.trim() === "") continue;
    await writeOut(`${answerLine(ask, text, number, json ?? false)}\n`);
  }
}

function answerLine(ask: Ask, text: string, number: number, json: boolean): string {
  try {
    const { line, because, facts } = ask(record(parse(text), "the question"));
    return json ? JSON.stringify({ ...facts, because }) : line;
  } catch (error) {
    io().exitCode = 1;
    const message = `line ${number}: ${describeError(error).message}`;
    return json ? JSON.stringify({ error: message }) : `error: ${message}`;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HermesError("invalid", "not JSON", { cause });
  }
}

export function record(value: unknown, name: string): SourceRecord {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as SourceRecord;
  throw new HermesError("invalid", `${name} is not a JSON object`);
}
