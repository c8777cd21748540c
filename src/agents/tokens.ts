import { estimateTokenCount } from "tokenx";
import type { ChatMessage } from "../session.js";
import { isImage, textOf } from "./text.js";

/** Role, separators, ids: what every message costs beside its words. */
const TOKENS_PER_MESSAGE = 4;
/** Between what providers charge for a small and a large picture. */
const TOKENS_PER_IMAGE = 1000;

/** A message is asked for again in each round of a turn, and it doesn't change. */
const known = new WeakMap<ChatMessage, number>();

/** A guess within some ten per cent; what the provider reports is the truth where it does. */
export function estimateTokens(message: ChatMessage): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  const tokens = countTokens(message);
  known.set(message, tokens);
  return tokens;
}

function countTokens(message: ChatMessage): number {
  const calls = message.tool_calls ? JSON.stringify(message.tool_calls) : "";
  const images = Array.isArray(message.content) ? message.content.filter(isImage).length : 0;
  const words = estimateTextTokens(textOf(message.content)) + estimateTextTokens(calls);
  return TOKENS_PER_MESSAGE + words + images * TOKENS_PER_IMAGE;
}

const SAMPLES = 8;
const SAMPLE_CHARS = 2000;

/** A long text is judged by samples from all over it. */
export function estimateTextTokens(text: string): number {
  if (text.length <= SAMPLES * SAMPLE_CHARS) return estimateTokenCount(text);
  const step = (text.length - SAMPLE_CHARS) / (SAMPLES - 1);
  let sampled = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const from = Math.floor(i * step);
    sampled += estimateTokenCount(text.slice(from, from + SAMPLE_CHARS));
  }
  return Math.round((sampled / (SAMPLES * SAMPLE_CHARS)) * text.length);
}
