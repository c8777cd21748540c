/** Requests to the daemon. A 401 redirects to the login page, which returns here. */
import type { Fault } from "../../../src/http/dashboard/types.js";

const API = "/api/dashboard";

export class ApiError extends Error {
  readonly status: number;
  readonly hint: string | undefined;

  constructor(status: number, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

export const toApiError = (error: unknown) =>
  error instanceof ApiError ? error : new ApiError(0, error instanceof Error ? error.message : String(error));

/** The error's message and hint. */
export function errorText(error: unknown): string {
  const { message, hint } = toApiError(error);
  return hint ? `${message} ${hint}` : message;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(await ask(path, signal ? { signal } : {}));
}

export async function post<T>(path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  return answerOf<T>(await ask(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(API + path, { ...init, headers: { accept: "application/json", ...init.headers } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "The gateway doesn't answer.", "It may be restarting; this page tries again.");
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.status === 401) {
    toLogin();
    throw new ApiError(401, "You are not logged in any more.");
  }
  const answer = (await response.json().catch(() => undefined)) as T | Fault | undefined;
  if (response.ok && answer !== undefined) return answer as T;
  const { message, hint } = (answer as Fault | undefined)?.error ?? { message: "That didn't work." };
  throw new ApiError(response.status, message, hint);
}

function toLogin(): void {
  const { pathname, search } = window.location;
  window.location.assign(`/login?${new URLSearchParams({ next: pathname + search })}`);
}

/** Idempotency key: the daemon runs requests with the same key once. Not `randomUUID`, which needs https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Adds a query string without empty values: `/sessions?source=web`. */
export function withQuery(path: string, query: Record<string, string | number | undefined | null>): string {
  const filled = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  const search = new URLSearchParams(filled.map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${path}?${search}` : path;
}
