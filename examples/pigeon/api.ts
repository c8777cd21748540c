/** Pigeon's HTTP API, and what its failures mean. The token goes into a header and into no error. */
import { SendError } from "hermes-gateway/plugin";

export interface PigeonSettings {
  url: string;
  /** `<bot id>.<secret>` */
  token: string;
  /** After so long a call is given up. */
  callMs: number;
}

export interface NewMessage {
  room: string;
  text: string;
  /** The message that it answers. */
  answers: string | null;
  /** Pigeon posts once for a key, and gives the first message's id again for a repeat. */
  key: string;
}

/** Pigeon answered, and said no. */
export class Refusal extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, reason: string, retryAfterMs?: number) {
    super(reason);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export class PigeonApi {
  readonly #settings: PigeonSettings;

  constructor(settings: PigeonSettings) {
    this.#settings = settings;
  }

  async whoAmI(signal: AbortSignal): Promise<void> {
    await this.#call("GET", "/me", signal);
  }

  /** What happened after event `after`; waits for something to happen. Pigeon forgets what came before. */
  async events(after: number, waitSeconds: number, signal: AbortSignal): Promise<unknown[]> {
    const path = `/events?after=${after}&wait=${waitSeconds}`;
    const { events } = (await this.#call("GET", path, signal, { waitSeconds })) as { events: unknown[] };
    return events;
  }

  async post(message: NewMessage, signal: AbortSignal): Promise<string> {
    const { id } = (await this.#call("POST", "/messages", signal, { body: message })) as { id: string };
    return id;
  }

  async typing(room: string, signal: AbortSignal): Promise<void> {
    await this.#call("POST", "/typing", signal, { body: { room } });
  }

  async #call(
    method: string,
    path: string,
    signal: AbortSignal,
    { body, waitSeconds = 0 }: { body?: object; waitSeconds?: number } = {},
  ): Promise<unknown> {
    const { url, token, callMs } = this.#settings;
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.any([signal, AbortSignal.timeout(callMs + waitSeconds * 1000)]),
    });
    if (response.ok) return response.json();
    const retryAfter = response.headers.get("retry-after");
    throw new Refusal(
      response.status,
      (await response.text()) || response.statusText,
      retryAfter === null ? undefined : Number(retryAfter) * 1000,
    );
  }
}

export const TOKEN_REFUSED =
  "Pigeon refuses the bot's token: make a new one in its settings, set PIGEON_BOT_TOKEN";

export const isTokenRefused = (error: unknown) => error instanceof Refusal && error.status === 401;

/** Did it arrive? The one question that decides whether to send again. */
export function sendErrorOf(error: unknown): SendError {
  if (error instanceof Refusal) return refusedSend(error);
  const reason = reasonOf(error);
  if (NOT_CONNECTED.has(reason)) return new SendError("never_sent", `Pigeon can't be reached: ${reason}`);
  return new SendError("unknown", `It is unknown whether Pigeon received it: ${reason}`);
}

function refusedSend(error: Refusal): SendError {
  const { status, message, retryAfterMs } = error;
  if (isTokenRefused(error))
    return new SendError("never_sent", TOKEN_REFUSED, { retryAfterMs: 60_000, scope: "account" });
  if (status === 429)
    return new SendError("never_sent", "Pigeon asks to wait", { retryAfterMs: retryAfterMs ?? 1000 });
  if (status >= 500) return new SendError("unknown", `Pigeon failed: ${message}`);
  return new SendError("refused", `Pigeon refuses the message: ${message}`);
}

/** Failures before the connection was established: nothing was sent. */
const NOT_CONNECTED = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"],
]);

/** `fetch failed` says nothing, its cause does. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ?? error.message;
}
