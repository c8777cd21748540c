/** signal-cli's JSON-RPC over HTTP, and what its failures mean. */
import { SendError } from "../../errors.js";
import { isRecord, type RestCall, RestClient, RestError } from "../kit/rest.js";
import { networkReason, networkSendError } from "../kit/send-errors.js";

/** signal-cli answered with an error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class SignalApi {
  readonly #rest: RestClient;
  readonly #number: string;
  #ids = 0;

  constructor({ apiUrl, number, timeoutMs }: { apiUrl: string; number: string; timeoutMs: number }) {
    this.#rest = new RestClient({ baseUrl: apiUrl, timeoutMs });
    this.#number = number;
  }

  /** Whether the daemon answers. */
  async check(signal?: AbortSignal): Promise<void> {
    await this.#rest.call("GET", "/api/v1/check", { signal });
  }

  async rpc<T = unknown>(method: string, params: object, call: RestCall = {}): Promise<T> {
    this.#ids += 1;
    const body = { jsonrpc: "2.0", id: this.#ids, method, params: { account: this.#number, ...params } };
    const answer = await this.#rest.call("POST", "/api/v1/rpc", { ...call, body });
    if (!isRecord(answer)) throw new Error("The answer isn't valid JSON");
    if (!isRecord(answer.error)) return answer.result as T;
    const { code, message, data } = answer.error;
    throw new RpcError(Number(code), typeof message === "string" ? message : "", data);
  }
}

/** bbernhard's container wraps signal-cli, and answers under /v1 instead. */
export const NOT_SIGNAL_CLI =
  "this is not signal-cli's own daemon (it has no /api/v1/events): use `signal-cli daemon --http`, not bbernhard's signal-cli-rest-api container";

export const UNKNOWN_ACCOUNT =
  "signal-cli doesn't know the account: register or link the number, and check SIGNAL_ACCOUNT";

export function reasonOf(error: unknown): string {
  if (error instanceof RpcError) return `signal-cli's error ${error.code}`;
  return error instanceof RestError ? `HTTP ${error.status}` : networkReason(error);
}

// ── sends ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Result {
  type: string;
  waitMs: number | undefined;
}

export function resultsIn(value: unknown): Result[] {
  const results = isRecord(value) && Array.isArray(value.results) ? value.results.filter(isRecord) : [];
  return results.map(({ type, retryAfterSeconds: seconds }) => ({
    type: String(type),
    waitMs: typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : undefined,
  }));
}

const RATE_LIMIT = -5;
const UNTRUSTED = -4;
const USER_ERROR = -1;
const DEFAULT_WAIT_MS = 60_000;

export function limited(waitMs = DEFAULT_WAIT_MS): SendError {
  const options = { retryAfterMs: waitMs, scope: "account" } as const;
  return new SendError("never_sent", "Signal asks to wait", options);
}

/** Undefined: it arrived at one of its recipients at least. */
export function failureIn(results: readonly Result[]): SendError | undefined {
  if (results.length === 0 || results.some(({ type }) => type === "SUCCESS")) return undefined;
  const [{ type, waitMs }] = results as [Result];
  switch (type) {
    case "RATE_LIMIT_FAILURE":
      return limited(waitMs);
    case "UNREGISTERED_FAILURE":
      return new SendError("refused", "The person isn't on Signal any more");
    case "IDENTITY_FAILURE":
      return new SendError("refused", "The person's safety number has changed: trust it with signal-cli");
    default:
      return new SendError("unknown", `It is unknown whether Signal has it: ${type}`);
  }
}

export function sendErrorOf(error: unknown, repeatable = false): SendError {
  const label = "signal-cli";
  if (error instanceof RestError)
    return new SendError(
      repeatable ? "never_sent" : "unknown",
      `${label} answered with HTTP ${error.status}`,
    );
  if (!(error instanceof RpcError)) return networkSendError(error, { label, repeatable });
  const results = isRecord(error.data) ? resultsIn(error.data.response ?? error.data) : [];
  if (error.code === RATE_LIMIT) return limited(results.find(({ waitMs }) => waitMs !== undefined)?.waitMs);
  const failure = failureIn(results);
  if (failure) return failure;
  if (error.code === UNTRUSTED) return new SendError("refused", "The person's safety number isn't trusted");
  // Also said if the network failed for all recipients.
  const isVague = error.code === USER_ERROR && /failed to send/i.test(error.message);
  if (isVague || error.code === -3)
    return new SendError("unknown", `It is unknown whether Signal has it (${error.code})`);
  return new SendError(
    "refused",
    `signal-cli refuses the message (${error.code}): ${error.message.slice(0, 200)}`,
  );
}
