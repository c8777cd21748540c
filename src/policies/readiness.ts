/** Does the gateway accept and process? What is known of it → what keeps it from that; nothing: it is ready. */
export interface ReadinessQuestion {
  now: number;
  stopping: boolean;
  /** Undefined: it didn't answer in time. */
  store: { stalledSeconds: number; lastCommitAt: number | null; lastFailureAt: number | null } | undefined;
  /** When the oldest message came that could have been taken up. */
  oldestReadyAt: number | null;
  platforms: readonly { platform: string; state: "ok" | "degraded" | "down" }[];
  settings: ReadinessSettings;
}

export interface ReadinessSettings {
  /** A message that could be taken up waits at most so long. */
  maxWaitSeconds: number;
  /** Platforms that must not be down; none named: any one will do. */
  platforms: readonly string[];
}

export interface NotReady {
  check: "gateway" | "store" | "inbox" | "platforms";
  reason: string;
}

/** So long writes may wait for a lock: other processes have short business with the file. */
const STALLED_MAX_SECONDS = 5;

export function readinessProblems(question: ReadinessQuestion): NotReady[] {
  const problems: NotReady[] = [];
  const add = (check: NotReady["check"], reason: string | undefined) => {
    if (reason !== undefined) problems.push({ check, reason });
  };
  add("gateway", question.stopping ? "it is stopping" : undefined);
  add("store", storeProblem(question.store));
  add("inbox", inboxProblem(question));
  add("platforms", platformProblem(question));
  return problems;
}

function storeProblem(store: ReadinessQuestion["store"]): string | undefined {
  if (!store) return "the database doesn't answer";
  const { stalledSeconds, lastCommitAt, lastFailureAt } = store;
  if (stalledSeconds > STALLED_MAX_SECONDS)
    return `writes have waited for ${Math.floor(stalledSeconds)} s: another process holds the database`;
  if (lastFailureAt !== null && lastFailureAt > (lastCommitAt ?? 0))
    return "the last write failed: see the log";
  return undefined;
}

function inboxProblem({ oldestReadyAt, now, settings }: ReadinessQuestion): string | undefined {
  const waited = oldestReadyAt === null ? 0 : now - oldestReadyAt;
  if (waited <= settings.maxWaitSeconds) return undefined;
  return `a message has waited for ${Math.floor(waited)} s although its chat is free`;
}

function platformProblem({ platforms, settings }: ReadinessQuestion): string | undefined {
  const isUp = (name: string) =>
    platforms.some(({ platform, state }) => platform === name && state !== "down");
  const missing = settings.platforms.filter((name) => !isUp(name));
  if (missing.length > 0) return `down: ${missing.join(", ")}`;
  const allDown = platforms.length > 0 && platforms.every(({ state }) => state === "down");
  return allDown ? "every platform is down" : undefined;
}
