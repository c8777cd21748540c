/** What may go wrong between the bot and Slack's Web API, on demand. */
export type Fault =
  | { kind: "delay"; ms: number }
  /** The connection is cut before Slack has looked at the request. */
  | { kind: "cut_before" }
  /** Slack has done it, and the connection is cut before it says so. */
  | { kind: "cut_after" }
  | { kind: "error"; error: string; extra?: Record<string, unknown> }
  | { kind: "status"; status: number }
  /** One 429; what comes after it goes through. */
  | { kind: "rate_limit"; seconds: number };

interface Penalty {
  untilMs: number;
  seconds: number;
}

export class Faults {
  /** Nothing gets through, neither requests nor sockets. */
  outage = false;
  /** Requests come in, and no answer ever goes out. */
  silent = false;
  /** Penalties that were ignored, per method. */
  readonly ignored = new Map<string, number>();
  readonly #queued: { methods: readonly string[]; fault: Fault; times: number }[] = [];
  readonly #penalties = new Map<string, Penalty>();

  /** For the next calls of this method, or of these (`*`: of any). */
  next(method: string | readonly string[], fault: Fault, times = 1): void {
    this.#queued.push({ methods: [method].flat(), fault, times });
  }

  /** Faults that nobody has run into yet. */
  get armed(): number {
    return this.#queued.reduce((sum, { times }) => sum + times, 0);
  }

  clear(): void {
    this.outage = false;
    this.silent = false;
    this.#queued.length = 0;
    this.#penalties.clear();
  }

  /** From now on 429 for so many seconds; every call in that time makes it longer. */
  rateLimit(method: string, seconds: number): void {
    this.#penalties.set(method, { untilMs: Date.now() + seconds * 1000, seconds });
  }

  take(method: string): Fault | undefined {
    const at = this.#queued.findIndex(({ methods }) => methods.includes(method) || methods.includes("*"));
    const entry = this.#queued[at];
    if (!entry) return undefined;
    entry.times -= 1;
    if (entry.times <= 0) this.#queued.splice(at, 1);
    return entry.fault;
  }

  /** Seconds to wait, or undefined where the way is free. */
  retryAfter(method: string): number | undefined {
    const penalty = this.#penalties.get(method);
    if (!penalty) return undefined;
    if (Date.now() >= penalty.untilMs) {
      this.#penalties.delete(method);
      return undefined;
    }
    return this.#lengthen(method, penalty);
  }

  #lengthen(method: string, penalty: Penalty): number {
    const seen = this.ignored.get(method) ?? 0;
    this.ignored.set(method, seen + 1);
    if (seen > 0) {
      penalty.seconds *= 2;
      penalty.untilMs = Date.now() + penalty.seconds * 1000;
    }
    return Math.max(1, Math.ceil((penalty.untilMs - Date.now()) / 1000));
  }
}
