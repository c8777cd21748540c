/** An answer → a signed POST to whoever called. The same id every time, so that a repeat can be told. */
import { Agent, request } from "undici";
import { SendError } from "../../errors.js";
import type { OutboundMessage } from "../../message.js";
import { guardedLookup, PrivateAddressError } from "../../public-address.js";
import { signBody } from "../../secret.js";
import { neverConnected } from "../never-connected.js";

export interface CallbackSettings {
  url: string;
  secret: string;
  allowPrivate: boolean;
}

export interface CallbackBody {
  webhook: string;
  delivery: string;
  kind: OutboundMessage["kind"];
  text: string;
}

const TIMEOUT_MS = 20_000;
const MOST_CONNECTIONS = 4;

export class Callbacks {
  readonly #agents = new Map<boolean, Agent>();

  /** Rejects with what the failure means: nothing arrived, refused, or nobody knows. */
  async post(
    { url, secret, allowPrivate }: CallbackSettings,
    message: Pick<OutboundMessage, "nonce" | "mayBeRepeat">,
    content: CallbackBody,
    signal: AbortSignal,
  ): Promise<void> {
    const body = JSON.stringify(content);
    const headers = {
      "content-type": "application/json",
      "x-hermes-delivery": message.nonce,
      "x-hermes-signature": signBody(secret, body, Math.floor(Date.now() / 1000)),
      ...(message.mayBeRepeat ? { "x-hermes-repeat": "true" } : {}),
    };
    const options = {
      method: "POST",
      headers,
      body,
      dispatcher: this.#agent(allowPrivate),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    } as const;
    // Redirects are not followed: they would lead past the checks.
    const response = await request(url, options).catch((error: unknown) => {
      throw failedCall(error);
    });
    await response.body.dump();
    const refusal = answered(response.statusCode, response.headers["retry-after"]);
    if (refusal) throw refusal;
  }

  #agent(allowPrivate: boolean): Agent {
    const known = this.#agents.get(allowPrivate);
    if (known) return known;
    const agent = new Agent({
      connections: MOST_CONNECTIONS,
      // No connection outlives its request: callbacks are few, and none may hold up the end.
      pipelining: 0,
      connect: { lookup: guardedLookup(allowPrivate), timeout: TIMEOUT_MS },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    this.#agents.set(allowPrivate, agent);
    return agent;
  }
}

function failedCall(error: unknown): SendError {
  const { message, code, cause } = error as NodeJS.ErrnoException;
  const found = [error, cause].find((candidate) => candidate instanceof PrivateAddressError);
  if (found) return new SendError("refused", found.message, { cause: error });
  const outcome = neverConnected(error) ? "never_sent" : "unknown";
  return new SendError(outcome, `The callback failed: ${message || code}`, { cause: error });
}

/** A server that was asked and failed is asked again: it knows the delivery by its id. */
function answered(status: number, retryAfter: string | string[] | undefined): SendError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const again = status === 408 || status === 425 || status === 429 || status >= 500;
  const seconds = Number(retryAfter);
  const wait = again && Number.isFinite(seconds) ? { retryAfterMs: Math.min(seconds, 3600) * 1000 } : {};
  return new SendError(again ? "never_sent" : "refused", `The callback was answered with ${status}`, wait);
}
