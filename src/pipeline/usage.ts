import type { TurnUsage } from "../agents/backend.js";
import type { Usage } from "../store/store.js";

/** Sums the usage of several model requests, for the session's counters. */
export function totalUsage(usages: readonly TurnUsage[]): Usage {
  const sum = (pick: (usage: TurnUsage) => number) => usages.reduce((total, usage) => total + pick(usage), 0);
  const last = usages.at(-1);
  if (!last) return {};
  const priced = usages.every((usage) => usage.costUsd !== undefined);
  return {
    input_tokens: sum((u) => u.inputTokens),
    output_tokens: sum((u) => u.outputTokens),
    cache_read_tokens: sum((u) => u.cacheReadTokens),
    cache_write_tokens: sum((u) => u.cacheWriteTokens),
    reasoning_tokens: sum((u) => u.reasoningTokens),
    api_call_count: usages.length,
    model: last.model,
    billing_provider: last.provider,
    ...(last.baseUrl ? { billing_base_url: last.baseUrl } : {}),
    ...(priced
      ? { estimated_cost_usd: sum((u) => u.costUsd ?? 0), cost_status: "estimated" }
      : { cost_status: "unknown" }),
  };
}
