import type { GatewayEventOf, Watcher } from "../events.js";
import type { Attempts, ModelRequest, TurnAttempt } from "../store/queues.js";

/** Turns that run at the same time. */
const MAX_TURNS = 1000;
const MAX_REQUESTS = 200;
/** Records are stored together: waking the database for each turn costs more than the row. */
const HOLD_MS = 250;
const MAX_HELD = 64;

interface Running {
  waitedSeconds: number;
  requests: ModelRequest[];
}

export interface AttemptRecordsOptions {
  store: Attempts;
  /** The name of the configured model. */
  model: string;
  onError(error: unknown): void;
}

/**
 * Keeps what became of each attempt, for traces and the figures of the day. A failed write or a crash loses some records, nothing
 * else.
 */
export function attemptRecords({ store, model, onError }: AttemptRecordsOptions): Watcher {
  const running = new Map<string, Running>();
  let held: TurnAttempt[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  const storeHeld = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held.length > 0) store.recordAttempts(held).catch(onError);
    held = [];
  };
  const ended = (event: GatewayEventOf<"turn-ended">, { waitedSeconds, requests }: Running) => {
    const { turnId, platform, outcome, failure, startedAt, at: endedAt } = event;
    held.push({
      ...{ turnId, platform, outcome, startedAt, endedAt, requests },
      receivedAt: startedAt - waitedSeconds,
      inboxId: event.inboxIds[0] ?? 0,
      model: requests.at(-1)?.model ?? event.model ?? model,
      error: failure?.message ?? null,
    });
    if (isStopping || held.length >= MAX_HELD) storeHeld();
    else timer ??= setTimeout(storeHeld, HOLD_MS);
  };
  return (event) => {
    if (event.type === "gateway-stopping") {
      isStopping = true;
      storeHeld();
    }
    if (event.type === "turn-started") {
      running.set(event.turnId, { waitedSeconds: event.waitedSeconds, requests: [] });
      if (running.size > MAX_TURNS) running.delete(running.keys().next().value!);
    }
    if (event.type === "turn-usage") {
      const requests = running.get(event.turnId)?.requests;
      if (requests && requests.length < MAX_REQUESTS) requests.push(requestOf(event));
    }
    if (event.type !== "turn-ended") return;
    const known = running.get(event.turnId);
    running.delete(event.turnId);
    if (known) ended(event, known);
  };
}

function requestOf({ usage, startedAt, at }: GatewayEventOf<"turn-usage">): ModelRequest {
  const { model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd = null } = usage;
  const cacheTokens = cacheReadTokens + cacheWriteTokens;
  return { model, startedAt, endedAt: at, inputTokens, outputTokens, cacheTokens, costUsd };
}
