/** Slack's Web API through its SDK, without retries and with a limit on every call. */

import { setTimeout as sleep } from "node:timers/promises";
import type { WebClient } from "@slack/web-api";
import { SendError } from "../../errors.js";
import { quietLogger } from "./quiet-logger.js";

const CHECK_MS = 10;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

export interface SlackApi {
  /** Rejects with the SDK's error; `errors.ts` classifies it. */
  call<T extends object = object>(method: string, args: object, options?: CallOptions): Promise<T>;
  /** Lets running calls finish within this time, then aborts them. */
  close(graceMs: number): Promise<void>;
}

export async function connectApi(token: string, apiUrl: string, timeoutMs: number): Promise<SlackApi> {
  const { WebClient: Client } = await import("@slack/web-api");
  const open = new Set<AbortController>();
  const client = new Client(token, {
    slackApiUrl: apiUrl,
    timeout: timeoutMs,
    // The SDK would retry posts by itself, ten times in half an hour.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: quietLogger(),
    fetch: closable(open),
  });
  return {
    call: (method, args, options = {}) => bounded(client, method, args, options),
    close: async (graceMs) => {
      for (const end = performance.now() + graceMs; open.size > 0 && performance.now() < end; )
        await sleep(CHECK_MS);
      for (const controller of open) controller.abort();
    },
  };
}

/** Tracks requests, so that none outlives the adapter. */
function closable(open: Set<AbortController>): typeof fetch {
  return async (input, init) => {
    const controller = new AbortController();
    const signal = init?.signal;
    const abort = () => controller.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    open.add(controller);
    try {
      const response = await fetch(input, { ...init, signal: controller.signal });
      // Responses are short; reading them here keeps the body within the limits too.
      const body = await response.arrayBuffer();
      return new Response(body.byteLength > 0 ? body : null, response);
    } finally {
      open.delete(controller);
      signal?.removeEventListener("abort", abort);
    }
  };
}

async function bounded<T>(client: WebClient, method: string, args: object, options: CallOptions): Promise<T> {
  const { signal, timeoutMs } = options;
  if (signal?.aborted) throw new SendError("never_sent", "No time left for a call to Slack");
  const call = client.apiCall(method, args as Record<string, unknown>) as Promise<unknown> as Promise<T>;
  if (!signal && timeoutMs === undefined) return call;
  return await unlessLate(call, signal, timeoutMs);
}

/** The SDK takes no signal for a single call, so the call goes on, but we stop waiting. */
function unlessLate<T>(
  call: Promise<T>,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("Stopped waiting for Slack", "TimeoutError"));
    const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
    signal?.addEventListener("abort", stop, { once: true });
    call.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    });
  });
}
