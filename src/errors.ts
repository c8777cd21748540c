/** The code decides the exit code and the HTTP status; the hint tells the user what to do. */
export type ErrorCode =
  | "invalid" // bad input
  | "not_found"
  | "conflict" // another owner or another value exists already
  | "refused" // not allowed
  | "unavailable" // the disk, the database or a peer failed
  | "internal"; // a bug in the gateway

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

/** A message for people. Errors without a code are internal. */
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

/** A native module was built for another version of Node, or its install script didn't run. */
function isUnbuilt(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_DLOPEN_FAILED" || NO_BINARY.test(error.message);
}

/** A failed send: it never arrived (retry), it was refused (don't), or the outcome is unknown. */
export class SendError extends Error {
  readonly outcome: "never_sent" | "refused" | "unknown";
  readonly retryAfterMs: number | undefined;
  /** What must wait: this chat, or the whole bot. */
  readonly scope: "chat" | "account";

  constructor(
    outcome: SendError["outcome"],
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      scope?: "chat" | "account";
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SendError";
    this.outcome = outcome;
    this.retryAfterMs = options.retryAfterMs;
    this.scope = options.scope ?? "chat";
  }
}

/** Plugins may have their own copy of these classes, so `instanceof` checks a mark that all copies share. */
for (const type of [HermesError, SendError])
  shareAmongCopies(type, Symbol.for(`hermes-gateway.${type.name}`));

function shareAmongCopies(type: { name: string; prototype: object }, mark: symbol): void {
  Object.defineProperty(type.prototype, mark, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    // Subclasses inherit this method, but are checked as usual.
    value(value: unknown): boolean {
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && mark in value;
    },
  });
}
