/** Does the gateway accept and process? What is known of it → what keeps it from that; nothing: it is ready. */
export interface ReadinessQuestion {
  now: number;
  stopping: boolean;
  /** The open database is no longer the file at its path. */
  isReplaced: boolean;
  /** Undefined: it didn't answer in time. */
  store: StoreState | undefined;
  /** When the oldest message came that could have been taken up. */
  oldestReadyAt: number | null;
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
  add("store", storeProblem(question));
  add("inbox", inboxProblem(question));
  add("platforms", platformProblem(question));
  return problems;
}

function storeProblem({ store, isReplaced }: ReadinessQuestion): string | undefined {
  if (isReplaced) return "state.db was deleted or replaced while the gateway was running: restart it";
  if (!store) return "the database doesn't answer";
  const { stalledSeconds, writeFault } = store;
  if (stalledSeconds > STALLED_MAX_SECONDS)
    return `writes have waited for ${Math.floor(stalledSeconds)} s: another process holds the database`;
  return writeFault && `writes fail: ${writeFault}`;
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
