/** Requests of the web chat: `/api/web/…`. */
import type { Fault } from "../../../../src/adapters/web/api.js";
import { ApiError } from "../../state/api.js";

const API = "/api/web";
const TIMEOUT_MS = 20_000;

export const get = <T>(path: string, signal?: AbortSignal) => ask<T>("GET", path, undefined, signal);
export const post = <T>(path: string, body: object = {}) => ask<T>("POST", path, body);
export const patch = <T>(path: string, body: object) => ask<T>("PATCH", path, body);
export const remove = (path: string) => ask<void>("DELETE", path);

/** `/conversations/ID`, optionally with a path below it. */
export const at = (id: string, below = "") => `/conversations/${encodeURIComponent(id)}${below}`;
export const exportUrl = (id: string, format: "md" | "json") => `${API}${at(id, `/export?format=${format}`)}`;

async function ask<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const init: RequestInit = { method, signal: signal ? AbortSignal.any([signal, timeout]) : timeout };
  if (body) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  return answerOf<T>(await reach(path, init, signal));
}

async function reach(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(API + path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The gateway doesn't answer.", "Check the connection, then try again.");
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  // An error page of a proxy isn't JSON: only its status is known.
  const answer = (await response.json().catch(() => undefined)) as T | Fault | undefined;
  if (response.ok && answer !== undefined) return answer as T;
  throw faultOf(response.status, answer as Fault | undefined);
}

export function faultOf(status: number, answer: Partial<Fault> | undefined): ApiError {
  const { message, hint } = answer?.error ?? { message: `The gateway answered with ${status}.` };
  return new ApiError(status, message, hint);
}
