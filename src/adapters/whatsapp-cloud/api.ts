/** Meta's Graph API: one call each, with a timeout. Errors never contain the token. */
import type { Settings } from "./config.js";

/** Meta answered, but didn't do it. */
export class GraphError extends Error {
  readonly status: number;
  readonly code: number | undefined;
  readonly retryAfter: string | null;

  constructor(status: number, code: unknown, retryAfter: string | null) {
    super(`HTTP ${status}`);
    this.name = "GraphError";
    this.status = status;
    this.code = typeof code === "number" ? code : undefined;
    this.retryAfter = retryAfter;
  }
}

type Json = Record<string, unknown>;

const MAX_ANSWER_BYTES = 1024 * 1024;

export class GraphApi {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.accessToken}` };
  }

  async number(signal: AbortSignal): Promise<{ display: string; name: string }> {
    const path = `/${this.#settings.phoneNumberId}?fields=display_phone_number,verified_name`;
    const { display_phone_number: display, verified_name: name } = await this.#call(path, {}, signal);
    return { display: String(display ?? ""), name: String(name ?? "") };
  }

  /** The id of the new message. */
  async send(body: object, signal: AbortSignal): Promise<string> {
    const { messages } = await this.#post({ messaging_product: "whatsapp", ...body }, signal);
    const [first] = Array.isArray(messages) ? (messages as { id?: unknown }[]) : [];
    if (typeof first?.id !== "string") throw new TypeError("invalid json: the answer has no id");
    return first.id;
  }

  /** Shows the message as read, and that an answer is being written. */
  async type(messageId: string, signal: AbortSignal): Promise<void> {
    const typing = { status: "read", message_id: messageId, typing_indicator: { type: "text" } };
    await this.#post({ messaging_product: "whatsapp", ...typing }, signal);
  }

  async upload(file: Blob, name: string, signal: AbortSignal): Promise<string> {
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", file.type);
    form.set("file", file, name);
    const { timing, phoneNumberId } = this.#settings;
    const path = `/${phoneNumberId}/media`;
    const { id } = await this.#call(path, { method: "POST", body: form }, signal, timing.transferMs);
    if (typeof id !== "string") throw new TypeError("invalid json: the answer has no id");
    return id;
  }

  /** Where a file that came in is, for a few minutes. */
  async mediaUrl(id: string, signal: AbortSignal): Promise<string> {
    const { url } = await this.#call(`/${encodeURIComponent(id)}`, {}, signal);
    return typeof url === "string" ? url : "";
  }

  #post(body: object, signal: AbortSignal): Promise<Json> {
    const headers = { "content-type": "application/json" };
    const path = `/${this.#settings.phoneNumberId}/messages`;
    return this.#call(path, { method: "POST", headers, body: JSON.stringify(body) }, signal);
  }

  async #call(
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string | FormData },
    signal: AbortSignal,
    timeoutMs = this.#settings.timing.callMs,
  ): Promise<Json> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const headers = { ...init.headers, ...this.headers };
    const response = await fetch(this.#settings.apiUrl + path, {
      ...init,
      headers,
      redirect: "error",
      signal: limited,
    });
    const answer = parse(await textOf(response));
    if (response.ok && answer) return answer;
    if (response.ok) throw new TypeError("invalid json in Meta's answer");
    const { code } = (answer?.error ?? {}) as { code?: unknown };
    throw new GraphError(response.status, code, response.headers.get("retry-after"));
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new TypeError("Meta's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
