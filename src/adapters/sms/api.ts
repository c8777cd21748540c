/** Twilio's REST API: one call each, with a timeout. Errors never contain the token. */
import { withSignal } from "../../timeout.js";
import type { Settings } from "./config.js";

/** As the list and single messages have it. */
export interface TwilioMessage {
  sid?: unknown;
  direction?: unknown;
  from?: unknown;
  to?: unknown;
  body?: unknown;
  status?: unknown;
  date_created?: unknown;
  num_media?: unknown;
}

export interface TwilioPage {
  messages: TwilioMessage[];
  /** Of the next page. */
  next: string | null;
}

export interface TwilioMedia {
  url: string;
  contentType: string | undefined;
}

/** Twilio answered, but didn't do it. */
export class TwilioError extends Error {
  readonly status: number;
  /** Twilio's own number of the error. */
  readonly code: number | undefined;
  readonly retryAfter: string | null;

  constructor(status: number, body: { code?: unknown; message?: unknown }, retryAfter: string | null) {
    super(typeof body.message === "string" ? body.message.slice(0, 300) : `HTTP ${status}`);
    this.name = "TwilioError";
    this.status = status;
    this.code = typeof body.code === "number" ? body.code : undefined;
    this.retryAfter = retryAfter;
  }
}

const PAGE_SIZE = 100;
const MAX_MEDIA = 10;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

export class TwilioApi {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Headers of calls, also for media. */
  get headers(): Record<string, string> {
    const { accountSid, authToken } = this.#settings;
    return { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}` };
  }

  async account(signal: AbortSignal): Promise<{ name: string; status: string; type: string }> {
    const answer = await this.#call("GET", `${this.#root}.json`, undefined, signal);
    const { friendly_name: name, status, type } = answer;
    return { name: String(name ?? ""), status: String(status ?? ""), type: String(type ?? "") };
  }

  /** Our number's settings at Twilio; undefined if the account has no such number. */
  async number(signal: AbortSignal): Promise<{ smsUrl: string } | undefined> {
    const query = new URLSearchParams({ PhoneNumber: this.#settings.phoneNumber });
    const path = `${this.#root}/IncomingPhoneNumbers.json?${query}`;
    const { incoming_phone_numbers: numbers } = await this.#call("GET", path, undefined, signal);
    const [number] = Array.isArray(numbers) ? (numbers as { sms_url?: unknown }[]) : [];
    return number && { smsUrl: typeof number.sms_url === "string" ? number.sms_url : "" };
  }

  /** Newest first. */
  async list(filter: Readonly<Record<string, string>>, signal: AbortSignal): Promise<TwilioPage> {
    const query = new URLSearchParams({ ...filter, PageSize: String(PAGE_SIZE) });
    return this.next(`${this.#root}/Messages.json?${query}`, signal);
  }

  async next(path: string, signal: AbortSignal): Promise<TwilioPage> {
    const { messages, next_page_uri: next } = await this.#call("GET", path, undefined, signal);
    const isPath = typeof next === "string" && next.startsWith("/");
    return { messages: Array.isArray(messages) ? messages.filter(isObject) : [], next: isPath ? next : null };
  }

  async message(sid: string, signal: AbortSignal): Promise<TwilioMessage> {
    return await this.#call(
      "GET",
      `${this.#root}/Messages/${encodeURIComponent(sid)}.json`,
      undefined,
      signal,
    );
  }

  async media(sid: string, signal: AbortSignal): Promise<TwilioMedia[]> {
    const path = `${this.#root}/Messages/${encodeURIComponent(sid)}/Media.json`;
    const { media_list: list } = await this.#call("GET", path, undefined, signal);
    if (!Array.isArray(list)) return [];
    return list
      .filter(isObject)
      .slice(0, MAX_MEDIA)
      .flatMap(({ uri, content_type: type }) =>
        typeof uri === "string" && uri.startsWith("/")
          ? [
              {
                url: this.#settings.apiUrl + uri.replace(/\.json$/, ""),
                contentType: typeof type === "string" ? type : undefined,
              },
            ]
          : [],
      );
  }

  /** The sid of the new message. */
  async send(form: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string> {
    const { sid } = await this.#call(
      "POST",
      `${this.#root}/Messages.json`,
      new URLSearchParams(form),
      signal,
    );
    if (typeof sid !== "string" || sid === "") throw new TypeError("invalid json: the answer has no sid");
    return sid;
  }

  get #root(): string {
    return `/2010-04-01/Accounts/${this.#settings.accountSid}`;
  }

  async #call(
    method: "GET" | "POST",
    path: string,
    body: URLSearchParams | undefined,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { apiUrl, timing } = this.#settings;
    return withSignal({ signals: [signal], ms: timing.callMs }, async (limited) => {
      const request = { method, headers: this.headers, redirect: "error", signal: limited } as const;
      const response = await fetch(apiUrl + path, body ? { ...request, body } : request);
      const answer = parse(await textOf(response));
      if (response.ok && answer) return answer;
      if (response.ok) throw new TypeError("invalid json in Twilio's answer");
      throw new TwilioError(response.status, answer ?? {}, response.headers.get("retry-after"));
    });
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new TypeError("Twilio's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
