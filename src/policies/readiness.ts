/** Readiness: known state → problems that keep the gateway from accepting and processing messages. None: it is ready. */
export interface ReadinessQuestion {
  /** It doesn't accept messages yet, or waits for its platforms to connect. */
  starting: boolean;
  stopping: boolean;
  /** The open database is no longer the file at its path. */
  isReplaced: boolean;
  /** Undefined if the store didn't respond in time. */
  store: StoreState | undefined;
  /** Age of the oldest message that could be processed, and of the oldest answer that could be sent. */
  waitedSeconds: { inbox: number; outbox: number };
  /** For how long there have been rows with an impossible due time. */
  misdatedSeconds: number;
  platforms: readonly { platform: string; state: "ok" | "degraded" | "down" }[];
  settings: ReadinessSettings;
}

export interface StoreState {
  stalledSeconds: number;
  /** Why the last test write failed. */
  writeFault: string | undefined;
}

export interface ReadinessSettings {
  /** Maximum wait of a message that could be processed. */
  maxWaitSeconds: number;
  /** Platforms that must be up. Empty: at least one must be. */
  platforms: readonly string[];
}

export interface NotReady {
  check: "gateway" | "store" | "inbox" | "outbox" | "platforms";
  reason: string;
}

export const STARTING: NotReady = { check: "gateway", reason: "it is starting" };

/** Tolerates short locks by other processes. */
const MAX_STALLED_SECONDS = 5;
/** Due times that a clock change made impossible are corrected within 15 s. */
const MAX_MISDATED_SECONDS = 30;

export function readinessProblems(question: ReadinessQuestion): NotReady[] {
  const problems: NotReady[] = [];
  const add = (check: NotReady["check"], reason: string | undefined) => {
    if (reason !== undefined) problems.push({ check, reason });
  };
  add("gateway", gatewayProblem(question));
  add("store", storeProblem(question));
  add("inbox", inboxProblem(question));
  add("outbox", outboxProblem(question));
  add("outbox", clockProblem(question));
  add("platforms", platformProblem(question));
  return problems;
}

function gatewayProblem({ starting, stopping, platforms }: ReadinessQuestion): string | undefined {
  if (stopping) return "it is stopping";
  if (!starting) return undefined;
  const waiting = platforms.filter(({ state }) => state === "down").map(({ platform }) => platform);
  return waiting.length > 0 ? `${STARTING.reason}: ${waiting.join(", ")} not connected yet` : STARTING.reason;
}

function storeProblem({ store, isReplaced }: ReadinessQuestion): string | undefined {
  if (isReplaced) return "state.db was deleted or replaced while the gateway was running: restart it";
  if (!store) return "the database doesn't respond";
  const { stalledSeconds, writeFault } = store;
  if (stalledSeconds > MAX_STALLED_SECONDS)
    return `writes have waited for ${Math.floor(stalledSeconds)} s: another process holds the database`;
  return writeFault && `writes fail: ${writeFault}`;
}

function inboxProblem({ waitedSeconds, settings }: ReadinessQuestion): string | undefined {
  if (waitedSeconds.inbox <= settings.maxWaitSeconds) return undefined;
  return `a message has waited for ${Math.floor(waitedSeconds.inbox)} s although its chat is free`;
}

function outboxProblem({ waitedSeconds, settings }: ReadinessQuestion): string | undefined {
  if (waitedSeconds.outbox <= settings.maxWaitSeconds) return undefined;
  return `an answer has been ready to send for ${Math.floor(waitedSeconds.outbox)} s`;
}

function clockProblem({ misdatedSeconds }: ReadinessQuestion): string | undefined {
  if (misdatedSeconds <= MAX_MISDATED_SECONDS) return undefined;
  return "messages are scheduled too far in the future: was the clock set back?";
}

function platformProblem({ platforms, settings }: ReadinessQuestion): string | undefined {
  const isUp = (name: string) =>
    platforms.some(({ platform, state }) => platform === name && state !== "down");
  const missing = settings.platforms.filter((name) => !isUp(name));
  if (missing.length > 0) return `down: ${missing.join(", ")}`;
  const allDown = platforms.length > 0 && platforms.every(({ state }) => state === "down");
  return allDown ? "every platform is down" : undefined;
}
