/** Sends a request with retries, then falls back to the next model. */
import { setTimeout as waitMs } from "node:timers/promises";
import type { LanguageModel } from "ai";
import { backoffMs } from "../../backoff.js";
import { type ModelEndpoint, openModel } from "./endpoint.js";
import { classify, RequestFailed, refusesImages } from "./failures.js";
import { hasImage, inWords } from "./messages.js";
import { type Answer, ask, type ModelRequest, type Word } from "./request.js";
import { type Limits, limitsFrom } from "./watch.js";

export interface Pace {
  retries: number;
  firstDelayMs: number;
  /** A longer Retry-After counts as a failure. */
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

/** A configured model. */
export interface Candidate {
  endpoint: ModelEndpoint;
  limits: Limits;
  open(): Promise<LanguageModel>;
}

export function candidate(endpoint: ModelEndpoint, limits = limitsFrom(endpoint.timeout)): Candidate {
  let opened: Promise<LanguageModel> | undefined;
  return { endpoint, limits, open: () => (opened ??= openModel(endpoint)) };
}

export interface Answered {
  answer: Answer;
  /** Index of the model that answered. */
  place: number;
}

/** Never retries after the user has seen part of the answer. */
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
      failed.endpoint = candidate.endpoint;
      if (!mayAskAnother(failed)) break;
    }
  }
  throw failed;
}

/** The caller shortens a context that is too long; another model wouldn't help. */
function mayAskAnother(failed: RequestFailed): boolean {
  return !failed.wasHeard && failed.kind !== "stopped" && failed.kind !== "context_length";
}

/** Retries once without images if the model rejects them. */
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
      const limits = { firstMs: pace.firstDelayMs, maxMs: Number.POSITIVE_INFINITY };
      const delayMs = failed.retryAfterMs ?? backoffMs(attempt - 1, limits, pace.random);
      const isOver = attempt > pace.retries || delayMs > pace.longestDelayMs;
      if (isOver || failed.wasHeard || !failed.isPassing || refusesImages(failed)) throw failed;
      await waitMs(delayMs, undefined, { signal });
    }
  }
}
