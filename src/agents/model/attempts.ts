/** A request → the first model that answers it: passing failures are tried again, then comes the next model. */
import { setTimeout as waitMs } from "node:timers/promises";
import type { LanguageModel } from "ai";
import { type Connection, openModel } from "./connection.js";
import { classify, RequestFailed, refusesImages } from "./failures.js";
import { hasImage, inWords } from "./messages.js";
import { type Answer, ask, type ModelRequest, type Word } from "./request.js";
import { type Limits, limitsFrom } from "./watch.js";

export interface Pace {
  retries: number;
  firstDelayMs: number;
  /** A provider that wants us to wait longer counts as failed. */
  longestDelayMs: number;
  /** In [0, 1). */
  random: () => number;
}

export const DEFAULT_PACE: Pace = {
  retries: 3,
  firstDelayMs: 500,
  longestDelayMs: 60_000,
  random: Math.random,
};

/** A model that can be asked. */
export interface Candidate {
  connection: Connection;
  limits: Limits;
  open(): Promise<LanguageModel>;
}

export function candidate(connection: Connection, limits = limitsFrom(connection.timeout)): Candidate {
  let opened: Promise<LanguageModel> | undefined;
  return { connection, limits, open: () => (opened ??= openModel(connection)) };
}

export interface Answered {
  answer: Answer;
  /** Who answered, as a place in the list. */
  place: number;
}

/** Nothing is asked twice once the user has heard a word of the answer. */
export async function* askFirst(
  candidates: readonly Candidate[],
  request: ModelRequest,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<Word, Answered> {
  let failed = new RequestFailed("other", "no model to ask");
  for (const [place, candidate] of candidates.entries()) {
    try {
      return { answer: yield* askPatiently(candidate, request, pace, signal), place };
    } catch (error) {
      failed = classify(error);
      failed.connection = candidate.connection;
      if (!mayAskAnother(failed)) break;
    }
  }
  throw failed;
}

/** What is too long is shortened by our caller, not sent to somebody else. */
function mayAskAnother(failed: RequestFailed): boolean {
  return !failed.wasHeard && failed.kind !== "stopped" && failed.kind !== "context_length";
}

/** A model that takes no pictures is asked once more, without them. */
async function* askPatiently(
  candidate: Candidate,
  request: ModelRequest,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<Word, Answer> {
  try {
    return yield* askAgainAndAgain(candidate, request, pace, signal);
  } catch (error) {
    const failed = classify(error);
    if (failed.wasHeard || !refusesImages(failed) || !request.messages.some(hasImage)) throw failed;
    const messages = request.messages.map(inWords);
    return yield* askAgainAndAgain(candidate, { ...request, messages }, pace, signal);
  }
}

async function* askAgainAndAgain(
  candidate: Candidate,
  request: ModelRequest,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<Word, Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return yield* ask(await candidate.open(), request, candidate.limits, signal);
    } catch (error) {
      const failed = classify(error);
      const delayMs = failed.retryAfterMs ?? backoffMs(attempt, pace);
      const isOver = attempt > pace.retries || delayMs > pace.longestDelayMs;
      if (isOver || failed.wasHeard || !failed.isPassing || refusesImages(failed)) throw failed;
      await waitMs(delayMs, undefined, { signal });
    }
  }
}

/** Half of it is chance, so that many failures don't come back at the same moment. */
function backoffMs(attempt: number, { firstDelayMs, random }: Pace): number {
  const fullMs = firstDelayMs * 2 ** (attempt - 1);
  return fullMs / 2 + (random() * fullMs) / 2;
}
