import type { LanguageModelUsage } from "ai";
import type { TurnUsage } from "../backend.js";
import type { ModelEndpoint } from "./endpoint.js";

const PER_MILLION = 1_000_000;

/** Tokens of one request. Input and cache counts don't overlap, as in Hermes' columns: the prompt is their sum. */
export function toUsage(
  endpoint: ModelEndpoint,
  reported: LanguageModelUsage | undefined,
  estimate: () => { inputTokens: number; outputTokens: number },
): TurnUsage {
  const counts = reported?.inputTokens === undefined ? estimated(estimate()) : counted(reported);
  const cost = costUsd(endpoint.cost, counts);
  return {
    model: endpoint.default ?? "",
    provider: endpoint.provider,
    ...(endpoint.base_url === null ? {} : { baseUrl: endpoint.base_url }),
    ...counts,
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}

type Counts = Pick<
  TurnUsage,
  "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens" | "reasoningTokens"
>;

function counted(usage: LanguageModelUsage): Counts {
  const cacheReadTokens = usage.inputTokenDetails.cacheReadTokens ?? 0;
  const cacheWriteTokens = usage.inputTokenDetails.cacheWriteTokens ?? 0;
  return {
    inputTokens: Math.max(0, (usage.inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: usage.outputTokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
  };
}

function estimated(tokens: { inputTokens: number; outputTokens: number }): Counts {
  return { ...tokens, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
}

/** Cached tokens without their own price are charged in full, so costs aren't underestimated. */
function costUsd(price: ModelEndpoint["cost"], counts: Counts): number | undefined {
  if (price.input === null || price.output === null) return undefined;
  const promptTokens = counts.inputTokens + counts.cacheReadTokens + counts.cacheWriteTokens;
  return (promptTokens * price.input + counts.outputTokens * price.output) / PER_MILLION;
}
