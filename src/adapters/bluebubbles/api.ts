/** The BlueBubbles server's REST API: the calls that we make. The password is in each address: none is ever logged. */
import { isRecord, type RestCall, RestClient } from "../kit/rest.js";
import type { Settings } from "./config.js";

export interface ServerInfo {
  version: string;
  macos: string;
  /** Typing, read receipts, replies and tapbacks need it. */
  privateApi: boolean;
}

export interface Webhook {
  id: number;
  url: string;
}

export interface MessageQuery {
  chatGuid?: string;
  /** Messages that came into the database after this one. */
  afterRow?: number;
  /** Epoch milliseconds. */
  after?: number;
  sort: "ASC" | "DESC";
  limit: number;
  offset?: number;
}

const WITH = ["chat", "attachment"];
export const EVENTS = ["new-message", "updated-message"];

export class BlueBubblesApi {
  readonly #rest: RestClient;
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
    const { apiUrl, timing } = settings;
    this.#rest = new RestClient({ baseUrl: `${apiUrl}/api/v1`, timeoutMs: timing.callMs });
  }

  async info(signal: AbortSignal): Promise<ServerInfo> {
    const data = await this.#call("GET", "/server/info", { signal });
    const info = isRecord(data) ? data : {};
    return {
      version: String(info.server_version ?? ""),
      macos: String(info.os_version ?? ""),
      privateApi: info.private_api === true && info.helper_connected === true,
    };
  }

  // ── webhooks ──────────────────────────────────────────────────────────────────────────────────────────────────────

  async webhooks(signal: AbortSignal): Promise<Webhook[]> {
    const found = listOf(await this.#call("GET", "/webhook", { signal }));
    return found.flatMap(({ id, url }) =>
      typeof id === "number" && typeof url === "string" ? [{ id, url }] : [],
    );
  }

  async addWebhook(url: string, signal: AbortSignal): Promise<void> {
    await this.#call("POST", "/webhook", { body: { url, events: EVENTS }, signal });
  }

  async removeWebhook(id: number, signal: AbortSignal): Promise<void> {
    await this.#call("DELETE", `/webhook/${id}`, { signal });
  }

  // ── messages ──────────────────────────────────────────────────────────────────────────────────────────────────────

  async messages(query: MessageQuery, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    const { afterRow, ...rest } = query;
    const where =
      afterRow === undefined
        ? {}
        : { where: [{ statement: "message.ROWID > :startRowId", args: { startRowId: afterRow } }] };
    return listOf(
      await this.#call("POST", "/message/query", { body: { ...rest, ...where, with: WITH }, signal }),
    );
  }

  async message(guid: string, signal: AbortSignal): Promise<unknown> {
    return this.#call("GET", `/message/${encodeURIComponent(guid)}`, { query: { with: "chats" }, signal });
  }

  /** Newest first. */
  async chats(limit: number, offset: number, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    const body = { limit, offset, sort: "lastmessage" };
    return listOf(await this.#call("POST", "/chat/query", { body, signal }));
  }

  async contacts(address: string, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    return listOf(await this.#call("POST", "/contact/query", { body: { addresses: [address] }, signal }));
  }

  /** The new message. */
  async sendText(body: object, signal: AbortSignal): Promise<unknown> {
    return this.#call("POST", "/message/text", { body, signal, timeoutMs: this.#settings.timing.sendMs });
  }

  async sendFile(form: FormData, signal: AbortSignal): Promise<unknown> {
    const { transferMs } = this.#settings.timing;
    return this.#call("POST", "/message/attachment", { form, signal, timeoutMs: transferMs });
  }

  /** Begins a chat with its first message. The new chat. */
  async newChat(body: object, signal: AbortSignal): Promise<unknown> {
    return this.#call("POST", "/chat/new", { body, signal, timeoutMs: this.#settings.timing.sendMs });
  }

  // ── signs, which need the Private API ─────────────────────────────────────────────────────────────────────────────

  async typing(chatGuid: string, isTyping: boolean, signal: AbortSignal): Promise<void> {
    const path = `/chat/${encodeURIComponent(chatGuid)}/typing`;
    await this.#call(isTyping ? "POST" : "DELETE", path, { signal });
  }

  async read(chatGuid: string, signal: AbortSignal): Promise<void> {
    await this.#call("POST", `/chat/${encodeURIComponent(chatGuid)}/read`, { signal });
  }

  async react(chatGuid: string, messageGuid: string, reaction: string, signal: AbortSignal): Promise<void> {
    const body = { chatGuid, selectedMessageGuid: messageGuid, reaction };
    await this.#call("POST", "/message/react", { body, signal });
  }

  /** Where a file is. Contains the password. */
  fileUrl(guid: string): string {
    const query = new URLSearchParams({ password: this.#settings.password });
    return `${this.#settings.apiUrl}/api/v1/attachment/${encodeURIComponent(guid)}/download?${query}`;
  }

  async #call(method: string, path: string, call: RestCall): Promise<unknown> {
    const query = { ...call.query, password: this.#settings.password };
    const answer = await this.#rest.call(method, path, { ...call, query });
    return isRecord(answer) ? answer.data : undefined;
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
