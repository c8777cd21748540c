/** What went wrong, by who must act: the code decides exit codes and HTTP statuses, the hint says what to do. */
export type ErrorCode =
  | "invalid" // the caller asked for something that makes no sense
  | "not_found"
  | "conflict" // true for somebody else already
  | "refused" // not allowed
  | "unavailable" // the disk, the database or a peer said no
  | "internal"; // a fault of ours

export class HermesError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HermesError";
    this.code = code;
    this.hint = options.hint;
  }
}

/** One sentence for people; what has no code is a fault of ours. */
export function describeError(error: unknown): {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
} {
  if (error instanceof HermesError) return { code: error.code, message: error.message, hint: error.hint };
  if (isUnbuilt(error)) return { code: "unavailable", ...UNBUILT };
  return {
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
    hint: undefined,
  };
}

const UNBUILT = {
  message: `better-sqlite3 can't be loaded: it is not built for this Node (${process.version}).`,
  hint: "Run `npm rebuild` with this Node where the gateway is installed, or install it again (`npm ci` in a checkout).",
};

const NO_BINARY = /^(?:Could not locate the bindings file|Cannot find module '[^'\n]*\.node')/;

/** A module of machine code is made for one version of Node, or its install script didn't run. */
function isUnbuilt(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_DLOPEN_FAILED" || NO_BINARY.test(error.message);
}

/** What a failed send means: nothing arrived (try again), the platform said no (don't), or nobody knows. */
export class SendError extends Error {
  readonly outcome: "never_sent" | "refused" | "unknown";
  readonly retryAfterMs: number | undefined;
  /** Whom the platform makes wait: this chat, or the whole bot. */
  readonly scope: "chat" | "account";
  /** Some parts of the message have arrived: whoever doesn't remember them would send them again. */
  readonly partly: boolean;

  constructor(
    outcome: SendError["outcome"],
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      scope?: "chat" | "account";
      partly?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SendError";
    this.outcome = outcome;
    this.retryAfterMs = options.retryAfterMs;
    this.scope = options.scope ?? "chat";
    this.partly = options.partly ?? false;
  }

  /** The same, after so many parts that have arrived. */
  after(parts: number): SendError {
    if (parts === 0) return this;
    const { retryAfterMs, scope, cause } = this;
    return new SendError(this.outcome, this.message, { retryAfterMs, scope, cause, partly: true });
  }
}
