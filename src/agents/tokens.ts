import { estimateTokenCount } from "tokenx";
import type { ChatMessage } from "../session.js";
import { isImage, textOf } from "./text.js";

/** Overhead per message: role, separators, ids. */
const TOKENS_PER_MESSAGE = 4;
/** Between the price of a small and a large image. */
const TOKENS_PER_IMAGE = 1000;

/** Cached: every round of a turn counts the same messages again. */
const known = new WeakMap<ChatMessage, number>();

/** An estimate within about ten per cent; prefer the provider's own count. */
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

/** Long texts are estimated from samples. */
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
