/** How long a turn may take and what it may cost. Pure. */

export interface TurnLimits {
  /** 0 means no limit. */
  seconds: number;
  costUsd: number;
}

export interface LimitReached {
  /** For the operator. */
  message: string;
  /** For the chat. */
  notice: string;
}

/** Undefined if the turn may go on with its calls. Requests without a known price count as free. */
export function costLimit(
  usages: readonly { costUsd?: number | undefined }[],
  { costUsd }: TurnLimits,
): LimitReached | undefined {
  const spent = usages.reduce((sum, usage) => sum + (usage.costUsd ?? 0), 0);
  if (costUsd <= 0 || spent < costUsd) return undefined;
  return reached(`it has cost ${dollars(spent)}`, `${dollars(costUsd)}`, "agent.max_turn_cost_usd");
}

export function timeLimit({ seconds }: TurnLimits): LimitReached {
  return reached(`it took ${duration(seconds)}`, duration(seconds), "agent.max_turn_seconds");
}

function reached(what: string, limit: string, key: string): LimitReached {
  return {
    message: `${what}, the limit of a turn (${key})`,
    notice: `I stopped here: one answer may use up to ${limit} (\`${key}\`). What I did so far is kept; say “go on” and I continue.`,
  };
}

function dollars(amount: number): string {
  return `$${amount < 0.1 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
