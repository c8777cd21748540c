/** Calls a platform's JSON API over HTTP. Failures carry the platform's own error text. */
import type { SendError } from "../../errors.js";
import { withoutTrailing } from "../../trailing.js";
import { httpSendError, networkSendError, type SendCall } from "./send-errors.js";

export interface RestOptions {
  /** Prefix of all paths. */
  baseUrl: string;
  /** Sent with every call. Never logged. */
  headers?: Readonly<Record<string, string>>;
  timeoutMs: number;
}

export interface RestCall {
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  body?: object;
  /** Sent as it is. */
  form?: FormData | Blob;
  signal?: AbortSignal | undefined;
  /** Overrides the default timeout. */
  timeoutMs?: number;
}

/** More than any response we expect; files are downloaded elsewhere. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** The platform answered with an error. */
export class RestError extends Error {
  readonly status: number;
  readonly headers: Headers;
  /** The response's fields; empty if it wasn't an object. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, headers: Headers, body: Readonly<Record<string, unknown>>) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** A text field of the response. */
  text(name: string): string | undefined {
    const value = this.body[name];
    return typeof value === "string" ? value : undefined;
  }
}

export class RestClient {
  readonly #options: RestOptions;
  readonly #baseUrl: string;
  /** The platform's clock in its last response, in epoch milliseconds, if it sent one. */
  serverTimeMs: number | undefined;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#baseUrl = withoutTrailing(options.baseUrl, "/");
  }

  /** Rejects with a RestError if the platform answered with an error, with another error if there was no answer. Follows no redirects. */
  async call<T = unknown>(method: string, path: string, call: RestCall = {}): Promise<T> {
    const limit = limitOf(call.timeoutMs ?? this.#options.timeoutMs, call.signal);
    try {
      const response = await fetch(this.#urlOf(path, call), this.#requestOf(method, call, limit.signal));
      const dateMs = Date.parse(response.headers.get("date") ?? "");
      this.serverTimeMs = Number.isNaN(dateMs) ? undefined : dateMs;
      const body = await readJson(response);
      if (response.ok) return body as T;
      throw new RestError(response.status, response.headers, isRecord(body) ? body : {});
    } finally {
      limit.end();
    }
  }

  #urlOf(path: string, { query = {} }: RestCall): URL {
    const url = new URL(this.#baseUrl + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  #requestOf(method: string, { body, form }: RestCall, signal: AbortSignal): RequestInit {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const headers = { ...this.#options.headers, ...json };
    const content = body === undefined ? form : JSON.stringify(body);
    return {
      method,
      headers,
      redirect: "manual",
      signal,
      ...(content === undefined ? {} : { body: content }),
    };
  }
}

/** A signal that aborts with another one or after a timeout, without leaking a listener on the other one. */
function limitOf(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException("The call timed out", "TimeoutError"));
  const stop = () => controller.abort(outer?.reason);
  const timer = setTimeout(late, timeoutMs);
  outer?.addEventListener("abort", stop, { once: true });
  if (outer?.aborted) stop();
  const end = () => {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  };
  return { signal: controller.signal, end };
}

/** Undefined if it isn't JSON. Rejects if it is too long or truncated. */
async function readJson(response: Response): Promise<unknown> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    bytes += next.value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader?.cancel();
      throw new Error("The answer is too long");
    }
    chunks.push(next.value);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A failed call → the outcome of a send. */
export function restSendError(
  error: unknown,
  call: SendCall,
  told: { reason?: string | undefined; retryAfter?: string | null } = {},
): SendError {
  if (!(error instanceof RestError)) return networkSendError(error, call);
  const { retryAfter = error.headers.get("retry-after"), reason } = told;
  return httpSendError({ status: error.status, retryAfter, reason }, call);
}
