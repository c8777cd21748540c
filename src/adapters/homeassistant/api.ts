/** Home Assistant's REST API: the calls that we make, and what their failures mean. */
import { HermesError, type SendError } from "../../errors.js";
import { type RestCall, RestClient, RestError, restSendError } from "../kit/rest.js";
import { networkReason, type SendCall } from "../kit/send-errors.js";
import { type EntityState, readState } from "./normalise.js";

export interface ApiOptions {
  apiUrl: string;
  token: string;
  timeoutMs: number;
}

export class HomeAssistantApi {
  readonly #rest: RestClient;

  constructor({ apiUrl, token, timeoutMs }: ApiOptions) {
    const headers = { authorization: `Bearer ${token}` };
    this.#rest = new RestClient({ baseUrl: `${apiUrl}/api`, headers, timeoutMs });
  }

  /** Rejects if it doesn't run, or refuses the token. */
  async check(signal?: AbortSignal): Promise<void> {
    await this.#rest.call("GET", "/", { signal });
  }

  /** Of all entities, now. */
  async states(signal?: AbortSignal): Promise<EntityState[]> {
    const found = await this.#rest.call("GET", "/states", { signal });
    if (!Array.isArray(found)) throw new Error("The answer isn't a list of states");
    return found.flatMap((value) => readState(value) ?? []);
  }

  async callService(domain: string, service: string, call: RestCall): Promise<void> {
    await this.#rest.call("POST", `/services/${domain}/${service}`, call);
  }
}

// ── failures ────────────────────────────────────────────────────────────────────────────────────────────────────────

export const TOKEN_FAULT = "Home Assistant refuses the access token";
export const TOKEN_FIX =
  "Create a long-lived access token (your profile → Security) and set HASS_TOKEN, then restart the gateway";
export const TOKEN_REFUSED = `${TOKEN_FAULT}. ${TOKEN_FIX}`;

/** Said on the socket. */
export class AuthRefused extends Error {}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof AuthRefused || (error instanceof RestError && error.status === 401);
}

/** For `connect`, where only another token helps. */
export function tokenRefused(): HermesError {
  return new HermesError("refused", TOKEN_FAULT, { hint: `${TOKEN_FIX}.` });
}

export function reasonOf(error: unknown): string {
  return error instanceof RestError ? `HTTP ${error.status}` : networkReason(error);
}

export function sendErrorOf(error: unknown, call: Partial<SendCall> = {}): SendError {
  const reason = error instanceof RestError ? error.text("message") : undefined;
  return restSendError(error, { label: "Home Assistant", ...call }, { reason });
}
