/** Mattermost's REST API v4: the calls that we make, and what their failures mean. */
import { HermesError, type SendError } from "../../errors.js";
import { isRecord, type RestCall, RestClient, RestError, restSendError } from "../kit/rest.js";
import { networkReason, type SendCall } from "../kit/send-errors.js";

export interface Me {
  id: string;
  username: string;
}

export interface Channel {
  id: string;
  /** D: direct, G: direct with several people, P: private, O: open. */
  type: string;
  name: string | null;
  lastPostAt: number;
}

/** The newest posts of a list, and all by id. */
export interface PostList {
  order?: string[];
  posts?: Record<string, unknown>;
}

export interface ApiOptions {
  apiUrl: string;
  token: string;
  timeoutMs: number;
}

export class MattermostApi {
  readonly #rest: RestClient;

  constructor({ apiUrl, token, timeoutMs }: ApiOptions) {
    const headers = { authorization: `Bearer ${token}` };
    this.#rest = new RestClient({ baseUrl: `${apiUrl}/api/v4`, headers, timeoutMs });
  }

  call<T = unknown>(method: string, path: string, call?: RestCall): Promise<T> {
    return this.#rest.call<T>(method, path, call);
  }

  /** The server's clock, or ours if it is unknown. */
  get nowMs(): number {
    return this.#rest.serverTimeMs ?? Date.now();
  }

  async me(signal?: AbortSignal): Promise<Me> {
    const { id, username } = await this.call<Partial<Me>>("GET", "/users/me", { signal });
    if (!id || !username) throw new Error("The answer isn't a user");
    return { id, username };
  }

  /** All that the bot is in. */
  async channels(signal: AbortSignal): Promise<Channel[]> {
    const found = await this.call("GET", "/users/me/channels", { signal });
    return (Array.isArray(found) ? found : []).flatMap((one) => channelOf(one) ?? []);
  }

  async channel(id: string, signal: AbortSignal): Promise<Channel | undefined> {
    return channelOf(await this.call("GET", `/channels/${id}`, { signal }));
  }

  /** Newest first. */
  async posts(channelId: string, query: RestCall["query"], signal: AbortSignal): Promise<unknown[]> {
    return postsOf(
      await this.call<PostList>("GET", `/channels/${channelId}/posts`, { query: query!, signal }),
    );
  }

  async thread(rootId: string, signal: AbortSignal): Promise<unknown[]> {
    return postsOf(await this.call<PostList>("GET", `/posts/${rootId}/thread`, { signal }));
  }
}

function postsOf(list: PostList | undefined): unknown[] {
  return (list?.order ?? []).map((id) => list?.posts?.[id]);
}

function channelOf(value: unknown): Channel | undefined {
  if (!isRecord(value) || typeof value.id !== "string" || typeof value.type !== "string") return undefined;
  const { id, type, display_name: name, last_post_at: at } = value;
  const isNamed = typeof name === "string" && name !== "" && type !== "D";
  return { id, type, name: isNamed ? name : null, lastPostAt: typeof at === "number" ? at : 0 };
}

// ── failures ────────────────────────────────────────────────────────────────────────────────────────────────────────

export const TOKEN_FAULT = "Mattermost refuses the bot's token";
export const TOKEN_FIX =
  "Create a new one (System Console → Integrations → Bot Accounts) and set MATTERMOST_TOKEN";
export const TOKEN_REFUSED = `${TOKEN_FAULT}. ${TOKEN_FIX}`;

export function isUnauthorized(error: unknown): boolean {
  return error instanceof RestError && error.status === 401;
}

/** For `connect`, where only another token helps. */
export function tokenRefused(): HermesError {
  return new HermesError("refused", TOKEN_FAULT, { hint: TOKEN_REFUSED });
}

/** The server said no, and would again. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RestError && [400, 403, 404].includes(error.status);
}

/** The server's name of the error, such as `api.post.create_post.root_id.app_error`. */
export function errorIdOf(error: unknown): string {
  return error instanceof RestError ? (error.text("id") ?? "") : "";
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof RestError)) return networkReason(error);
  return error.text("message") ?? `HTTP ${error.status}`;
}

/** In milliseconds, of a call that came too early. */
export function waitOf(error: unknown): number | undefined {
  return error instanceof RestError && error.status === 429
    ? (sendErrorOf(error).retryAfterMs ?? 1000)
    : undefined;
}

export function sendErrorOf(error: unknown, call: Partial<SendCall> = {}): SendError {
  const reason = error instanceof RestError ? error.text("message") : undefined;
  const headers = error instanceof RestError ? error.headers : undefined;
  // Seconds until the limit is over.
  const retryAfter = headers?.get("retry-after") ?? headers?.get("x-ratelimit-reset") ?? null;
  return restSendError(error, { label: "Mattermost", ...call }, { reason, retryAfter });
}
