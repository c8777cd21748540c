/** Faults that a test can switch on. */

export type RestFault =
  | { kind: "delay"; ms: number }
  /** Executed, but the answer never comes: the outcome is unknown. */
  | { kind: "drop_after" }
  | { kind: "drop_before" }
  | { kind: "answer"; status: number; body: unknown }
  | { kind: "rate_limit"; retryAfterSeconds: number; global?: boolean };

interface Armed {
  method: string;
  path: RegExp;
  fault: RestFault;
  times: number;
}

export class Faults {
  #armed: Armed[] = [];
  /** Each message event is delivered twice. */
  duplicateEvents = false;
  /** Message events are held until there are `n`, and delivered last first. */
  reorderBy = 0;
  /** Heartbeats are not acknowledged. */
  deafToHeartbeats = false;
  /** Connections stay open without any answer to requests, heartbeats and handshakes. */
  silent = false;
  /** The gateway closes right after HELLO, with this code. */
  closeAfterHello: number | null = null;

  /** Gateway handshakes hang. */
  hangHandshakes = false;
  /** How far the bot's clock is ahead of the Date header. */
  clockBehindMs = 0;

  /** Applies to the next `times` matching requests. */
  arm(method: string, path: RegExp, fault: RestFault, times = 1): void {
    this.#armed.push({ method, path, fault, times });
  }

  /** Faults that haven't been used yet. */
  get armed(): number {
    return this.#armed.reduce((sum, { times }) => sum + times, 0);
  }

  clear(): void {
    this.#armed = [];
    this.duplicateEvents = false;
    this.reorderBy = 0;
    this.deafToHeartbeats = false;
    this.silent = false;
    this.closeAfterHello = null;
    this.hangHandshakes = false;
    this.clockBehindMs = 0;
  }

  take(method: string, path: string): RestFault | undefined {
    const armed = this.#armed.find((a) => a.method === method && a.path.test(path) && a.times > 0);
    if (!armed) return undefined;
    armed.times -= 1;
    if (armed.times === 0) this.#armed = this.#armed.filter((a) => a !== armed);
    return armed.fault;
  }
}
