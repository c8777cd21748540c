/** Keeps configured tokens and keys out of everything that leaves the gateway, and reports each find once. */
import { BoundedMap } from "./bounded-map.js";
import { type Secret, SecretRedactor } from "./secret-redactor.js";

/** Where a secret was about to leave. */
export type LeakPlace = "answer" | "tool_argument" | "tool_result" | "file" | "message";

/** What it was found in, as far as known. */
export interface LeakSource {
  sessionId?: string;
  traceId?: string;
}

export interface Leak extends LeakSource {
  /** The name of the setting or variable, never its value. */
  secret: string;
  where: LeakPlace;
}

/** An answer is looked at again with every word, so the same find comes many times. */
const MAX_REMEMBERED = 1000;

export class SecretGuard {
  /** Reports nothing: for what was written in the chat, or is stored already. */
  readonly quiet: SecretRedactor;
  readonly #report: (leak: Leak) => void;
  readonly #reported = new BoundedMap<string, true>(MAX_REMEMBERED);

  constructor(secrets: readonly Secret[], report: (leak: Leak) => void) {
    this.quiet = new SecretRedactor(secrets);
    this.#report = report;
  }

  of(where: LeakPlace, source: LeakSource): SecretRedactor {
    return new SecretRedactor(this.quiet, (secret) => {
      const key = [secret, where, source.sessionId, source.traceId].join(" ");
      if (this.#reported.get(key)) return;
      this.#reported.set(key, true);
      this.#report({ secret, where, ...source });
    });
  }
}
