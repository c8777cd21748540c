/** The usage an agent reports. Pure. */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { field } from "../../field.js";
import type { TurnUsage } from "../backend.js";

/** What its session has cost so far, in USD; other currencies aren't counted. */
export function costIn(update: SessionUpdate): number | undefined {
  if (update.sessionUpdate !== "usage_update") return undefined;
  const isUsd = update.cost?.currency?.toUpperCase() === "USD";
  return isUsd ? counted(update.cost?.amount) : undefined;
}

export interface Reported {
  /** `usage` of the answer to a prompt, as in the protocol's draft: tokens of this turn. */
  tokens: unknown;
  /** Of the session: before the prompt and after it. */
  before: number | undefined;
  costUsd: number | undefined;
}

/** Undefined if the agent doesn't say anything. */
export function usageOf({ tokens, before = 0, costUsd }: Reported, model: string): TurnUsage | undefined {
  const hasTokens = typeof tokens === "object" && tokens !== null;
  if (!hasTokens && costUsd === undefined) return undefined;
  const count = (name: string) => counted(field(tokens, name)) ?? 0;
  const [input, output, thought] = [count("inputTokens"), count("outputTokens"), count("thoughtTokens")];
  const [cacheRead, cacheWrite] = [count("cachedReadTokens"), count("cachedWriteTokens")];
  // Some count cached tokens as input, too; our columns don't overlap.
  const total = counted(field(tokens, "totalTokens"));
  const overlaps = total !== undefined && total < input + output + cacheRead + cacheWrite;
  return {
    ...{ model, provider: "acp", outputTokens: output, reasoningTokens: thought },
    inputTokens: overlaps ? Math.max(0, input - cacheRead - cacheWrite) : input,
    ...{ cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite },
    // A lower total means that it was reset.
    ...(costUsd === undefined ? {} : { costUsd: costUsd < before ? costUsd : costUsd - before }),
  };
}

function counted(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
