/** What can go wrong on the way: switches that a test turns. */

export type RestFault =
  | { kind: "delay"; ms: number }
  /** Carried out, but the answer never comes: nobody knows. */
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
  /** Each message event comes twice. */
  duplicateEvents = false;
  /** Message events are held until `n` are there, and come last first. */
  reorderBy = 0;
  /** Heartbeats are not acknowledged. */
  deafToHeartbeats = false;
  /** Connections stay open, and nothing is answered: neither requests nor heartbeats nor handshakes. */
  silent = false;
  /** The gateway closes right after HELLO, with this code. */
  closeAfterHello: number | null = null;

  /** Nobody answers who knocks at the gateway. */
  hangHandshakes = false;
  /** The bot's clock is so much ahead of Discord's, as far as requests tell the time. */
  clockBehindMs = 0;

  /** The next request that fits, `times` times. */
  arm(method: string, path: RegExp, fault: RestFault, times = 1): void {
    this.#armed.push({ method, path, fault, times });
  }

  /** Faults that nobody has run into yet. */
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
