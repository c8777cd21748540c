import { estimateTokenCount } from "tokenx";
import type { ChatMessage } from "../session.js";
import { isImage, textOf } from "./text.js";

/** Role, separators, ids: what every message costs beside its words. */
const TOKENS_PER_MESSAGE = 4;
/** Between what providers charge for a small and a large picture. */
const TOKENS_PER_IMAGE = 1000;

/** A guess within some ten per cent; what the provider reports is the truth where it does. */
export function estimateTokens(message: ChatMessage): number {
  const calls = message.tool_calls ? JSON.stringify(message.tool_calls) : "";
  const images = Array.isArray(message.content) ? message.content.filter(isImage).length : 0;
  const words = estimateTokenCount(textOf(message.content)) + estimateTokenCount(calls);
  return TOKENS_PER_MESSAGE + words + images * TOKENS_PER_IMAGE;
}

export function estimateTextTokens(text: string): number {
  return estimateTokenCount(text);
}
