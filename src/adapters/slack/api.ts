/** Slack's Web API through its SDK: no retries, everything with a time limit. */

import { setTimeout as sleep } from "node:timers/promises";
import type { WebClient } from "@slack/web-api";
import { SendError } from "../../errors.js";
import { quietLogger } from "./quiet-logger.js";

const LOOK_MS = 10;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

export interface SlackApi {
  /** Rejects with the SDK's error; `faults.ts` reads it. */
  call<T extends object = object>(method: string, args: object, options?: CallOptions): Promise<T>;
  /** Lets what is under way end within this time, then cuts it off. */
  close(graceMs: number): Promise<void>;
}

export async function connectApi(token: string, apiUrl: string, timeoutMs: number): Promise<SlackApi> {
  const { WebClient: Client } = await import("@slack/web-api");
  const open = new Set<AbortController>();
  const client = new Client(token, {
    slackApiUrl: apiUrl,
    timeout: timeoutMs,
    // The SDK would post again by itself, ten times in half an hour.
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
        await sleep(LOOK_MS);
      for (const controller of open) controller.abort();
    },
  };
}

/** Every request hangs on a controller of ours, so that none outlives the adapter. */
function closable(open: Set<AbortController>): typeof fetch {
  return async (input, init) => {
    const controller = new AbortController();
    const signal = init?.signal;
    const abort = () => controller.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    open.add(controller);
    try {
      const response = await fetch(input, { ...init, signal: controller.signal });
      // The body is part of the request: Slack's answers are short, and its time limit is the same.
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
  if (signal?.aborted) throw new SendError("never_sent", "There was no time left to ask Slack");
  const call = client.apiCall(method, args as Record<string, unknown>) as Promise<unknown> as Promise<T>;
  if (!signal && timeoutMs === undefined) return call;
  return await earlier(call, signal, timeoutMs);
}

/** The SDK takes no signal for a single call: we stop waiting for it. */
function earlier<T>(
  call: Promise<T>,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new DOMException("Nobody waits any longer", "TimeoutError"));
    const timer = timeoutMs === undefined ? undefined : setTimeout(leave, timeoutMs);
    signal?.addEventListener("abort", leave, { once: true });
    call.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    });
  });
}
