/** When to compress a long conversation, and how large its parts may be. */

export interface CompressionSettings {
  enabled: boolean;
  /** Share of the context at which to compress. */
  threshold: number;
  /** The tail's maximum share of the threshold. */
  targetRatio: number;
  protectFirst: number;
  protectLast: number;
  hardMessageLimit: number;
}

const MIN_THRESHOLD_TOKENS = 64_000;
const MAX_CONTEXT_SHARE = 0.85;

/** A small context would never reach the floor of 64,000 tokens, so the threshold is at most 85 % of the context. */
export function thresholdTokens(contextLength: number, threshold: number): number {
  const wanted = Math.max(contextLength * threshold, MIN_THRESHOLD_TOKENS);
  return Math.floor(Math.min(wanted, contextLength * MAX_CONTEXT_SHARE));
}

export interface SessionSize {
  promptTokens: number;
  contextLength: number;
  messageCount: number;
  settings: CompressionSettings;
}

export function compressionReason(size: SessionSize): "tokens" | "messages" | undefined {
  const { promptTokens, contextLength, messageCount, settings } = size;
  if (!settings.enabled) return undefined;
  if (promptTokens >= thresholdTokens(contextLength, settings.threshold)) return "tokens";
  return messageCount >= settings.hardMessageLimit ? "messages" : undefined;
}

const OVERDUE = 1.25;

/** Whether compression can't wait for a pause in the chat: far beyond the limit, or near the end of the context. */
export function isOverdue({ promptTokens, contextLength, messageCount, settings }: SessionSize): boolean {
  const tokens = OVERDUE * thresholdTokens(contextLength, settings.threshold);
  if (promptTokens >= Math.floor(Math.min(tokens, contextLength * MAX_CONTEXT_SHARE))) return true;
  return messageCount >= OVERDUE * settings.hardMessageLimit;
}

export function tailBudgetTokens(contextLength: number, settings: CompressionSettings): number {
  const ratio = Math.min(Math.max(settings.targetRatio, 0.1), 0.8);
  return Math.floor(thresholdTokens(contextLength, settings.threshold) * ratio);
}

/** A fifth of the messages it replaces: at least 2,000 tokens, at most 12,000 and 5 % of the context. */
export function summaryBudget(tokens: number, contextLength: number): number {
  return Math.floor(Math.max(2000, Math.min(tokens * 0.2, contextLength * 0.05, 12_000)));
}
