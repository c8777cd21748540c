/** Does the gateway accept and process? What is known of it → what keeps it from that; nothing: it is ready. */
export interface ReadinessQuestion {
  /** It has not let messages in yet, or waits for the first answer of its platforms. */
  starting: boolean;
  stopping: boolean;
  /** The open database is no longer the file at its path. */
  isReplaced: boolean;
  /** Undefined: it didn't answer in time. */
  store: StoreState | undefined;
  /** How long the oldest message has waited that could be answered, and the oldest answer that could be sent. */
  waitedSeconds: { inbox: number; outbox: number };
  /** For how long there have been rows whose wait can't be right. */
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
  /** A message that could be taken up waits at most so long. */
  maxWaitSeconds: number;
  /** Platforms that must not be down; none named: any one will do. */
  platforms: readonly string[];
}

export interface NotReady {
  check: "gateway" | "store" | "inbox" | "outbox" | "platforms";
  reason: string;
}

export const STARTING: NotReady = { check: "gateway", reason: "it is starting" };

/** So long writes may wait for a lock: other processes have short business with the file. */
const STALLED_MAX_SECONDS = 5;
/** Waits that a clock change has made wrong begin again within 15 s. */
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
  if (!store) return "the database doesn't answer";
  const { stalledSeconds, writeFault } = store;
  if (stalledSeconds > STALLED_MAX_SECONDS)
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
  return "messages wait for a time that is too far away: was the clock set back?";
}

function platformProblem({ platforms, settings }: ReadinessQuestion): string | undefined {
  const isUp = (name: string) =>
    platforms.some(({ platform, state }) => platform === name && state !== "down");
  const missing = settings.platforms.filter((name) => !isUp(name));
  if (missing.length > 0) return `down: ${missing.join(", ")}`;
  const allDown = platforms.length > 0 && platforms.every(({ state }) => state === "down");
  return allDown ? "every platform is down" : undefined;
}
