/** Posts an answer to the callback URL, signed. Retries have the same id, so that the receiver can drop duplicates. */
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
const MAX_CONNECTIONS = 4;

export class Callbacks {
  readonly #agents = new Map<boolean, Agent>();

  /** Rejects with a SendError: never sent, refused, or unknown. */
  async post(
    { url, secret, allowPrivate }: CallbackSettings,
    message: { nonce: string; mayBeRepeat: boolean },
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
    // Redirects aren't followed: they would bypass the address checks.
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
      connections: MAX_CONNECTIONS,
      // No keep-alive: callbacks are rare, and must not delay the shutdown.
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

/** Retries after server errors: the receiver knows the delivery by its id. */
function answered(status: number, retryAfter: string | string[] | undefined): SendError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const again = status === 408 || status === 425 || status === 429 || status >= 500;
  const seconds = Number(retryAfter);
  const wait = again && Number.isFinite(seconds) ? { retryAfterMs: Math.min(seconds, 3600) * 1000 } : {};
  return new SendError(again ? "never_sent" : "refused", `The callback returned HTTP ${status}`, wait);
}
