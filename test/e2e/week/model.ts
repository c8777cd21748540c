/** When sessions end, by brute force: the zone's clock is read at every minute, and the rules are taken literally. */

export interface Policy {
  mode: "idle" | "daily" | "both" | "none";
  at_hour: number;
  idle_minutes: number;
}

export interface Settings {
  timezone: string;
  session_reset: Policy;
  reset_by_type: Record<string, Policy>;
  reset_by_platform: Record<string, Policy>;
}

export type Reason = "idle" | "daily";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export class Rules {
  readonly settings: Settings;
  readonly #minutes: Minute[];
  readonly #boundaries = new Map<number, number[]>();

  constructor(settings: Settings, fromMs: number, toMs: number) {
    this.settings = settings;
    this.#minutes = readClock(settings.timezone, fromMs - 2 * DAY_MS, toMs);
  }

  /** At which hours a day may end. */
  get hours(): number[] {
    const { reset_by_platform, reset_by_type, session_reset } = this.settings;
    const all = [session_reset, ...Object.values(reset_by_type), ...Object.values(reset_by_platform)];
    return [
      ...new Set(all.filter(({ mode }) => mode === "daily" || mode === "both").map(({ at_hour }) => at_hour)),
    ];
  }

  /** When the clock jumped. */
  get changes(): number[] {
    const ahead = ({ atMs, shownMs }: Minute) => shownMs - atMs;
    return this.#minutes
      .filter((now, i) => i > 0 && ahead(now) !== ahead(this.#minutes[i - 1]!))
      .map(({ atMs }) => atMs);
  }

  /** A platform's own policy, else its chat type's, else everybody's; none of them is mixed with another. */
  policyFor(platform: string, chatType: string): Policy {
    const { reset_by_platform, reset_by_type, session_reset } = this.settings;
    return reset_by_platform[platform] ?? reset_by_type[chatType] ?? session_reset;
  }

  due({ mode, at_hour, idle_minutes }: Policy, lastMs: number, nowMs: number): Reason | undefined {
    const idles = mode === "idle" || mode === "both";
    if (idles && nowMs - lastMs > idle_minutes * MINUTE_MS) return "idle";
    const daily = mode === "daily" || mode === "both";
    const passed = (atMs: number) => lastMs < atMs && atMs <= nowMs;
    return daily && this.boundaries(at_hour).some(passed) ? "daily" : undefined;
  }

  /** For each day the first minute at which the clock showed that hour, or a later one, of that day. */
  boundaries(atHour: number): number[] {
    const known = this.#boundaries.get(atHour);
    if (known) return known;
    const found: number[] = [];
    let reached = Number.POSITIVE_INFINITY;
    for (const { atMs, day, hour } of this.#minutes) {
      const begun = hour >= atHour ? day : day - 1;
      if (begun > reached) found.push(atMs);
      reached = Math.max(begun, Number.isFinite(reached) ? reached : begun);
    }
    this.#boundaries.set(atHour, found);
    return found;
  }
}

interface Minute {
  atMs: number;
  /** What the clock shows, as if it were UTC. */
  shownMs: number;
  day: number;
  hour: number;
}

function readClock(timeZone: string, fromMs: number, toMs: number): Minute[] {
  const number = "numeric" as const;
  const date = { year: number, month: number, day: number };
  const time = { hour: number, minute: number, hourCycle: "h23" as const };
  const format = new Intl.DateTimeFormat("en-US", { ...date, ...time, timeZone });
  return Array.from({ length: Math.ceil((toMs - fromMs) / MINUTE_MS) }, (_, i) => {
    const atMs = fromMs + i * MINUTE_MS;
    const parts = format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]);
    const { year, month, day, hour, minute } = Object.fromEntries(parts) as Record<string, number>;
    const shownMs = Date.UTC(year!, month! - 1, day!, hour!, minute!);
    return { atMs, shownMs, day: Math.floor(shownMs / DAY_MS), hour: hour! };
  });
}

/** What should become of one conversation. */
export class Conversation {
  readonly #rules: Rules;
  readonly #policy: Policy;
  readonly sessions: { tokens: string[]; ended: boolean }[] = [];
  /** The reason of each reset that the chat was notified of. */
  readonly notices: Reason[] = [];
  #lastMs = 0;
  /** Found due by the sweep, without a message since. */
  expired: Reason | undefined;

  constructor(rules: Rules, platform: string, chatType: string) {
    this.#rules = rules;
    this.#policy = rules.policyFor(platform, chatType);
  }

  due(nowMs: number): Reason | undefined {
    if (this.sessions.length === 0 || this.expired) return undefined;
    return this.#rules.due(this.#policy, this.#lastMs, nowMs);
  }

  sweep(nowMs: number): void {
    this.expired ??= this.due(nowMs);
    if (this.expired) this.sessions.at(-1)!.ended = true;
  }

  message(nowMs: number, token: string): void {
    const reason = this.expired ?? this.due(nowMs);
    if (reason && this.sessions.at(-1)!.tokens.length > 0) this.notices.push(reason);
    if (reason || this.sessions.length === 0) this.begin(nowMs);
    this.sessions.at(-1)!.tokens.push(token);
    this.#lastMs = nowMs;
  }

  /** `/new` */
  begin(nowMs: number): void {
    const before = this.sessions.at(-1);
    if (before) before.ended = true;
    this.sessions.push({ tokens: [], ended: false });
    this.expired = undefined;
    this.#lastMs = nowMs;
  }
}
