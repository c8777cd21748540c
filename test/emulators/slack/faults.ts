/** Faults of the Web API, on demand. */
export type Fault =
  | { kind: "delay"; ms: number }
  /** Cuts the connection before the request is processed. */
  | { kind: "cut_before" }
  /** Processes the request, then cuts the connection. */
  | { kind: "cut_after" }
  | { kind: "error"; error: string; extra?: Record<string, unknown> }
  | { kind: "status"; status: number }
  /** A single 429. */
  | { kind: "rate_limit"; seconds: number };

interface Penalty {
  untilMs: number;
  seconds: number;
}

export class Faults {
  /** Cuts all requests and sockets. */
  outage = false;
  /** Never answers requests. */
  silent = false;
  /** Calls during a rate limit, per method. */
  readonly ignored = new Map<string, number>();
  readonly #queued: { methods: readonly string[]; fault: Fault; times: number }[] = [];
  readonly #penalties = new Map<string, Penalty>();

  /** Applies to the next calls of these methods; `*` matches all. */
  next(method: string | readonly string[], fault: Fault, times = 1): void {
    this.#queued.push({ methods: [method].flat(), fault, times });
  }

  /** The number of faults that haven't occurred yet. */
  get armed(): number {
    return this.#queued.reduce((sum, { times }) => sum + times, 0);
  }

  clear(): void {
    this.outage = false;
    this.silent = false;
    this.#queued.length = 0;
    this.#penalties.clear();
  }

  /** Answers 429 for this long; each call in that time extends it. */
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

  /** Seconds to wait, undefined if not limited. */
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
