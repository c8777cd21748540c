/** Matrix's client-server API: the calls that we make, and what their failures mean. */
import { HermesError, type SendError } from "../../errors.js";
import { isRecord, type RestCall, RestClient, RestError, restSendError } from "../kit/rest.js";
import { networkReason, type SendCall } from "../kit/send-errors.js";
import { isEventId, isUserId } from "./ids.js";

export interface ApiOptions {
  apiUrl: string;
  token: string;
  timeoutMs: number;
}

/** An event, with the fields that are read here. */
export interface MatrixEvent {
  type: string;
  eventId: string;
  sender: string;
  at: number;
  stateKey: string | undefined;
  content: Readonly<Record<string, unknown>>;
  unsigned: Readonly<Record<string, unknown>>;
  redacts: unknown;
}

export function readEvent(value: unknown): MatrixEvent | undefined {
  if (!isRecord(value)) return undefined;
  const {
    type,
    event_id: eventId,
    sender,
    origin_server_ts: at,
    content,
    unsigned,
    state_key,
    redacts,
  } = value;
  if (typeof type !== "string" || !isEventId(eventId) || !isUserId(sender)) return undefined;
  return {
    ...{ type, eventId, sender, redacts },
    at: typeof at === "number" ? at : 0,
    stateKey: typeof state_key === "string" ? state_key : undefined,
    content: isRecord(content) ? content : {},
    unsigned: isRecord(unsigned) ? unsigned : {},
  };
}

export function readEvents(values: unknown): MatrixEvent[] {
  return Array.isArray(values) ? values.flatMap((value) => readEvent(value) ?? []) : [];
}

export interface MessagesPage {
  /** Newest first. */
  events: MatrixEvent[];
  /** Undefined if there are no older ones. */
  end: string | undefined;
}

export class MatrixApi {
  readonly #rest: RestClient;

  constructor({ apiUrl, token, timeoutMs }: ApiOptions) {
    const headers = { authorization: `Bearer ${token}` };
    this.#rest = new RestClient({ baseUrl: `${apiUrl}/_matrix`, headers, timeoutMs });
  }

  /** The path is behind `/_matrix/client/v3`. */
  call<T = unknown>(method: string, path: string, call?: RestCall): Promise<T> {
    return this.#rest.call<T>(method, `/client/v3${path}`, call);
  }

  async whoAmI(signal?: AbortSignal): Promise<string> {
    const { user_id: id } = await this.call<{ user_id?: unknown }>("GET", "/account/whoami", { signal });
    if (!isUserId(id)) throw new Error("The answer isn't a user");
    return id;
  }

  /** Before the token `from`, or from the newest on; down to `to`. */
  async messages(
    roomId: string,
    range: { from?: string | undefined; to?: string | undefined; limit: number },
    signal: AbortSignal,
  ): Promise<MessagesPage> {
    const query = { dir: "b", ...range };
    const page = await this.call<Record<string, unknown>>("GET", `${roomPath(roomId)}/messages`, {
      query,
      signal,
    });
    const end = typeof page?.end === "string" ? page.end : undefined;
    return { events: readEvents(page?.chunk), end };
  }

  /** Undefined if it is gone, or the bot may not see it. */
  async event(roomId: string, eventId: string, signal: AbortSignal): Promise<MatrixEvent | undefined> {
    const path = `${roomPath(roomId)}/event/${encodeURIComponent(eventId)}`;
    const found = readEvent(await this.call("GET", path, { signal }).catch(unlessRefused));
    return found && isRecord(found.unsigned.redacted_because) ? undefined : found;
  }

  /** The content of a state event; undefined if there is none. */
  async state(
    roomId: string,
    type: string,
    signal?: AbortSignal,
  ): Promise<Record<string, unknown> | undefined> {
    const found = await this.call("GET", `${roomPath(roomId)}/state/${type}/`, { signal }).catch(
      unlessRefused,
    );
    return isRecord(found) ? found : undefined;
  }

  async thread(roomId: string, rootId: string, signal: AbortSignal): Promise<MatrixEvent[]> {
    const path = `/client/v1${roomPath(roomId)}/relations/${encodeURIComponent(rootId)}/m.thread`;
    const page = await this.#rest
      .call<Record<string, unknown>>("GET", path, { query: { limit: 50 }, signal })
      .catch(unlessRefused);
    return readEvents(page?.chunk);
  }

  async upload(file: Blob, name: string, call: RestCall): Promise<string> {
    const path = "/media/v3/upload";
    const answer = await this.#rest.call<{ content_uri?: unknown }>("POST", path, {
      ...call,
      form: file,
      query: { filename: name },
    });
    if (typeof answer?.content_uri !== "string") throw new Error("The answer has no address of the file");
    return answer.content_uri;
  }
}

export function roomPath(roomId: string): string {
  return `/rooms/${encodeURIComponent(roomId)}`;
}

// ── failures ────────────────────────────────────────────────────────────────────────────────────────────────────────

export const TOKEN_FAULT = "The Matrix homeserver refuses the bot's access token";
export const TOKEN_FIX = "Log the bot in again and set MATRIX_ACCESS_TOKEN";
export const TOKEN_REFUSED = `${TOKEN_FAULT}. ${TOKEN_FIX}`;

export function isUnauthorized(error: unknown): boolean {
  return error instanceof RestError && error.status === 401;
}

/** For `connect`, where only another token helps. */
export function tokenRefused(): HermesError {
  return new HermesError("refused", TOKEN_FAULT, { hint: TOKEN_REFUSED });
}

export function isRefusal(error: unknown): boolean {
  return error instanceof RestError && [400, 403, 404].includes(error.status);
}

export function unlessRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof RestError)) return networkReason(error);
  return error.text("error") ?? `HTTP ${error.status}`;
}

/** In milliseconds, of a call that came too early. */
export function waitOf(error: unknown): number | undefined {
  return error instanceof RestError && error.status === 429
    ? (sendErrorOf(error).retryAfterMs ?? 1000)
    : undefined;
}

export function sendErrorOf(error: unknown, call: Partial<SendCall> = {}): SendError {
  const label = "The homeserver";
  if (!(error instanceof RestError)) return restSendError(error, { label, ...call });
  const { retry_after_ms: waitMs } = error.body;
  const seconds = typeof waitMs === "number" && waitMs >= 0 ? String(waitMs / 1000) : null;
  const retryAfter = error.headers.get("retry-after") ?? seconds;
  return restSendError(error, { label, ...call }, { reason: error.text("error"), retryAfter });
}
