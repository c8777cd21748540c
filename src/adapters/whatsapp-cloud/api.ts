/** Meta's Graph API: the calls that we make. Errors never contain the token. */
import { type RestCall, RestClient } from "../kit/rest.js";
import type { Settings } from "./config.js";

type Json = Record<string, unknown>;

export class GraphApi {
  readonly #settings: Settings;
  readonly #rest: RestClient;

  constructor(settings: Settings) {
    this.#settings = settings;
    const { apiUrl: baseUrl, timing } = settings;
    this.#rest = new RestClient({ baseUrl, headers: this.headers, timeoutMs: timing.callMs });
  }

  /** Of calls, also for files. */
  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.accessToken}` };
  }

  async number(signal: AbortSignal): Promise<{ display: string; name: string }> {
    const query = { fields: "display_phone_number,verified_name" };
    const answer = await this.#call("GET", `/${this.#settings.phoneNumberId}`, { query, signal });
    return { display: String(answer.display_phone_number ?? ""), name: String(answer.verified_name ?? "") };
  }

  /** The apps that get the messages of a business account. */
  async subscribedApps(businessId: string, signal: AbortSignal): Promise<number> {
    const { data } = await this.#call("GET", `/${businessId}/subscribed_apps`, { signal });
    return Array.isArray(data) ? data.length : 0;
  }

  /** The id of the new message. */
  async send(body: object, signal: AbortSignal): Promise<string> {
    const { messages } = await this.#post(body, signal);
    const [first] = Array.isArray(messages) ? (messages as { id?: unknown }[]) : [];
    if (typeof first?.id !== "string") throw new TypeError("invalid json: the answer has no id");
    return first.id;
  }

  /** Shows the message as read, and that an answer is being written. */
  async type(messageId: string, signal: AbortSignal): Promise<void> {
    await this.#post({ status: "read", message_id: messageId, typing_indicator: { type: "text" } }, signal);
  }

  async upload(file: Blob, name: string, signal: AbortSignal): Promise<string> {
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", file.type);
    form.set("file", file, name);
    const { timing, phoneNumberId } = this.#settings;
    const call = { form, signal, timeoutMs: timing.transferMs };
    const { id } = await this.#call("POST", `/${phoneNumberId}/media`, call);
    if (typeof id !== "string") throw new TypeError("invalid json: the answer has no id");
    return id;
  }

  /** Where a file that came in is, for a few minutes. */
  async mediaUrl(id: string, signal: AbortSignal): Promise<string> {
    const { url } = await this.#call("GET", `/${encodeURIComponent(id)}`, { signal });
    return typeof url === "string" ? url : "";
  }

  #post(content: object, signal: AbortSignal): Promise<Json> {
    const body = { messaging_product: "whatsapp", ...content };
    return this.#call("POST", `/${this.#settings.phoneNumberId}/messages`, { body, signal });
  }

  async #call(method: string, path: string, call: RestCall): Promise<Json> {
    return (await this.#rest.call<Json | undefined>(method, path, call)) ?? {};
  }
}
