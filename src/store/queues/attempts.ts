/** What became of each attempt at a turn, and what it cost. */
export interface Attempts {
  /** An attempt that is repeated with the same id replaces the first. */
  recordAttempts(attempts: readonly TurnAttempt[]): Promise<void>;
}

export interface TurnAttempt {
  turnId: string;
  /** The first message of the turn. */
  inboxId: number;
  platform: string;
  /** The last model that answered, else the one that was asked; null: unknown. */
  model: string | null;
  receivedAt: number;
  startedAt: number;
  endedAt: number;
  /** As in `TurnEnd`, or `cut off`: the gateway ended during it. */
  outcome: string;
  error: string | null;
  requests: readonly ModelRequest[];
}

export interface ModelRequest {
  model: string;
  startedAt: number;
  endedAt: number;
  inputTokens: number;
  outputTokens: number;
  cacheTokens: number;
  /** Null: the price is unknown. */
  costUsd: number | null;
}
