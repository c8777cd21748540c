/**
 * Chooses where to cut a long conversation. A split must pay for its summary: it has to free at least half of the limit
 * that triggered it. If no cut does, there is no split yet.
 */
import type { ChatMessage } from "../session.js";
import { boundaries, type EstimateTokens } from "./compression.js";
import {
  type CompressionSettings,
  summaryBudget,
  tailBudgetTokens,
  thresholdTokens,
} from "./compression-limits.js";

/** A limit was reached, the model rejected the prompt as too long, or a person asked for it. */
export type CutReason = "tokens" | "messages" | "context_length" | "asked";

export interface Cut {
  headEnd: number;
  tailStart: number;
}

export interface CutQuestion {
  reason: CutReason;
  /** The provider's count for the whole prompt, including the system prompt and tools, which a split can't shrink. */
  promptTokens?: number;
  contextLength: number;
  settings: CompressionSettings;
  estimateTokens: EstimateTokens;
}

/** The last question and its answer: with less, the conversation loses its context. */
const MIN_TAIL = 2;
/** Protected last messages when a person asks or the model rejects the prompt. */
const ASKED_LAST = 4;

export function cutFor(messages: readonly ChatMessage[], question: CutQuestion): Cut | undefined {
  const { reason, settings, contextLength } = question;
  const isWanted = reason === "asked" || reason === "context_length";
  const limits = {
    protectLast: isWanted ? Math.min(settings.protectLast, ASKED_LAST) : settings.protectLast,
    tailTokens: tailBudgetTokens(contextLength, settings),
    estimateTokens: question.estimateTokens,
  };
  if (reason === "asked") {
    const { protectFirst } = settings;
    const maxTailMessages = Math.max(MIN_TAIL, Math.floor(messages.length / 4));
    return (
      boundaries(messages, { ...limits, protectFirst }) ??
      boundaries(messages, { ...limits, protectFirst, maxTailMessages })
    );
  }
  const sizes = new Sizes(messages, question);
  for (const protectFirst of [settings.protectFirst, 0]) {
    for (const maxTailMessages of [sizes.tailThatFits(protectFirst), MIN_TAIL]) {
      const cut = boundaries(messages, { ...limits, protectFirst, maxTailMessages });
      if (cut && sizes.paysOff(cut)) return cut;
    }
  }
  const isLong = reason === "tokens" && messages.length >= settings.hardMessageLimit;
  return isLong ? cutFor(messages, { ...question, reason: "messages" }) : undefined;
}

interface Size {
  messages: number;
  tokens: number;
}

class Sizes {
  readonly #reason: CutReason;
  readonly #count: number;
  /** Tokens before each message. */
  readonly #before: number[] = [0];
  readonly #summaryTokens: number;
  readonly #limit: Size;

  constructor(
    messages: readonly ChatMessage[],
    { reason, promptTokens, contextLength, settings, estimateTokens }: CutQuestion,
  ) {
    this.#reason = reason;
    this.#count = messages.length;
    for (const message of messages) this.#before.push(this.#before.at(-1)! + estimateTokens(message));
    const tokens = this.#before.at(-1)!;
    const room = roomFor(thresholdTokens(contextLength, settings.threshold), tokens, promptTokens);
    this.#limit = {
      messages: settings.hardMessageLimit,
      // The model rejected the prompt: its real limit is lower than we assumed, and only one attempt is left.
      tokens: reason === "context_length" ? Math.min(room, tokens / 2) : room,
    };
    this.#summaryTokens = Math.min(summaryBudget(tokens, contextLength), this.#limit.tokens / 8);
  }

  /**
   * How many of the last messages fit, together with the head and the summary: into half of the token limit, and into a
   * quarter of the message limit, so that a chat of short messages pays for fewer summaries.
   */
  tailThatFits(headCount: number): number {
    const room = {
      messages: Math.floor(this.#limit.messages / 4) - headCount - 1,
      tokens: this.#limit.tokens / 2 - this.#before[Math.min(headCount, this.#count)]! - this.#summaryTokens,
    };
    let start = this.#count;
    while (
      start > 0 &&
      this.#count - start < room.messages &&
      this.#tokens(start - 1, this.#count) <= room.tokens
    )
      start -= 1;
    return Math.max(MIN_TAIL, this.#count - start);
  }

  /** In the unit of the limit that triggered it. A rejected prompt only has to shrink: the next call shows if it did enough. */
  paysOff(cut: Cut): boolean {
    const freed = {
      messages: cut.tailStart - cut.headEnd - 1,
      tokens: this.#tokens(cut.headEnd, cut.tailStart) - this.#summaryTokens,
    };
    if (this.#reason === "context_length") return freed.messages > 0;
    const by = this.#reason === "messages" ? "messages" : "tokens";
    return freed[by] >= this.#limit[by] / 2;
  }

  #tokens(from: number, to: number): number {
    return this.#before[to]! - this.#before[from]!;
  }
}

/** The limit minus the rest of the prompt. At least a quarter of the limit: with less, every turn would split again. */
function roomFor(limit: number, tokens: number, promptTokens = tokens): number {
  return Math.max(limit - Math.max(0, promptTokens - tokens), limit / 4);
}
