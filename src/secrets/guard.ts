/** Stops configured tokens and keys from leaving the gateway, and reports each match once. */
import { BoundedMap } from "../bounded-map.js";
import { SecretRedactor } from "./redactor.js";
import { type Secret, SecretSet } from "./secret-set.js";

/** What contained the secret. */
export type LeakKind = "answer" | "tool_argument" | "tool_result" | "file" | "message";

/** Where the secret was found, as far as known. */
export interface LeakSource {
  sessionId?: string;
  traceId?: string;
}

export interface Leak extends LeakSource {
  /** The name of the setting or variable, never its value. */
  secret: string;
  where: LeakKind;
}

/** Reported matches are remembered, because a growing answer is checked repeatedly. */
const MAX_REMEMBERED = 1000;

export class SecretGuard {
  /** Doesn't report matches. For text from the chat, and text that is already stored. */
  readonly quiet: SecretRedactor;
  readonly #secrets: SecretSet;
  readonly #report: (leak: Leak) => void;
  readonly #reported = new BoundedMap<string, true>(MAX_REMEMBERED);

  constructor(secrets: readonly Secret[] | SecretSet, report: (leak: Leak) => void) {
    this.#secrets = secrets instanceof SecretSet ? secrets : new SecretSet(secrets);
    this.quiet = new SecretRedactor(this.#secrets);
    this.#report = report;
  }

  of(where: LeakKind, source: LeakSource): SecretRedactor {
    return new SecretRedactor(this.#secrets, (secret) => {
      const key = [secret, where, source.sessionId, source.traceId].join(" ");
      if (this.#reported.get(key)) return;
      this.#reported.set(key, true);
      this.#report({ secret, where, ...source });
    });
  }
}
