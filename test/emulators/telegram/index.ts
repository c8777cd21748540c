/**
 * A Telegram Bot API server on loopback: `new TelegramEmulator().start()`, then give a bot its `url` and `token`. `users`
 * writes as people, `seen` and the lists show what they see, `faults` injects faults.
 */
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readBody } from "./body.js";
import { Chats } from "./chats.js";
import { Faults } from "./faults.js";
import { Presses } from "./keyboards.js";
import { METHODS, type World } from "./methods.js";
import { ApiError, type Call, type Payload, type SeenMessage, type UploadedFile } from "./types.js";
import { UpdateQueue, WEBHOOK_ACTIVE } from "./updates.js";
import { Users } from "./users.js";
import { WebhookSender } from "./webhook.js";

export * from "./types.js";
export type { Writing, Written } from "./users.js";

export interface EmulatorOptions {
  token?: string;
  username?: string;
  firstUpdateId?: number;
  /** Between two attempts at a failed webhook call. */
  webhookRetryMs?: number;
}

export class TelegramEmulator {
  readonly token: string;
  readonly faults = new Faults();
  readonly calls: Call[] = [];
  readonly users: Users;
  readonly world: World;
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));
  /** The valid tokens; remove one to revoke it. */
  readonly tokens = new Set<string>();
  #port = 0;

  constructor(options: EmulatorOptions = {}) {
    this.token = options.token ?? "4200:emulated-token";
    this.tokens.add(this.token);
    const updates = new UpdateQueue(options.firstUpdateId ?? 1);
    this.world = {
      bot: {
        id: Number(this.token.split(":", 1)[0]),
        first_name: "Hermes",
        username: options.username ?? "hermes_bot",
        is_bot: true,
      },
      privacyMode: false,
      chats: new Chats(),
      updates,
      webhook: new WebhookSender(updates, options.webhookRetryMs ?? 20),
      files: new Map(),
      drafts: [],
      actions: [],
      reactions: new Map(),
      commands: [],
      presses: new Presses(),
    };
    this.users = new Users(this.world, () => (this.faults.duplicate ? 2 : 1));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** For `platforms.telegram` in config.yaml. */
  get settings() {
    return { token: this.token, api_root: this.url };
  }

  get chats(): Chats {
    return this.world.chats;
  }

  get updates(): UpdateQueue {
    return this.world.updates;
  }

  async start(): Promise<this> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Stops listening, as if the machine were gone. `start` brings it back at the same address. */
  async goDown(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async close(): Promise<void> {
    this.world.webhook.close();
    if (this.#server.listening) await this.goDown();
  }

  /** Cuts every open connection; new ones are accepted. */
  disconnect(): void {
    this.#server.closeAllConnections();
  }

  /** The chat's messages now, oldest first. */
  seen(chatId: number): SeenMessage[] {
    return this.chats.all(chatId).filter((message) => !message.deleted);
  }

  /** The bot's messages there. */
  said(chatId: number): SeenMessage[] {
    return this.seen(chatId).filter((message) => message.from === "bot");
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (this.faults.outage) return void request.socket.destroy();
      const path = decodeURIComponent(new URL(request.url ?? "/", "http://emulator").pathname);
      const [, token, rest] = /^\/(?:file\/)?bot([^/]+)\/(.+)$/.exec(path) ?? [];
      if (token === undefined || rest === undefined) return answer(response, new ApiError(404, "Not Found"));
      if (!this.tokens.has(token)) return answer(response, new ApiError(401, "Unauthorized"));
      if (path.startsWith("/file/")) return await this.#download(rest, response);
      await this.#call(rest, await readBody(request), response);
    } catch {
      request.socket.destroy();
    }
  }

  async #download(path: string, response: ServerResponse): Promise<void> {
    while (this.faults.slowFiles && !response.destroyed) await sleep(5);
    const file = [...this.world.files.values()].find((known) => known.path === path);
    if (file) response.end(file.content);
    else answer(response, new ApiError(404, "Not Found"));
  }

  async #call(
    method: string,
    body: { payload: Payload; files: UploadedFile[] },
    response: ServerResponse,
  ): Promise<void> {
    const call: Call = { method, payload: body.payload, at: Date.now(), code: undefined };
    this.calls.push(call);
    const fault = this.faults.take(method);
    if (fault === "hang") return;
    if (fault === "drop_before") return void response.socket?.destroy();
    if (fault === "bad_gateway") return void response.writeHead(502).end("<html>502 Bad Gateway</html>");
    const result = fault instanceof ApiError ? fault : await this.#perform(method, body, response);
    if (this.faults.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.faults.delayMs));
    if (fault === "drop_after") return void response.socket?.destroy();
    if (this.faults.silent) return;
    call.code = result instanceof ApiError ? result.code : 0;
    answer(response, result);
  }

  async #perform(
    method: string,
    { payload, files }: { payload: Payload; files: UploadedFile[] },
    response: ServerResponse,
  ): Promise<unknown> {
    try {
      const chatId = payload.chat_id === undefined ? undefined : Number(payload.chat_id);
      this.faults.checkFlood(chatId, /^send(?!ChatAction|MessageDraft)/.test(method));
      if (method === "getUpdates") return await this.#getUpdates(payload, response);
      const perform = METHODS[method];
      if (!perform) throw new ApiError(404, "Not Found: method not found");
      return perform(this.world, payload, files);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  async #getUpdates(payload: Payload, response: ServerResponse): Promise<unknown> {
    const { updates, webhook } = this.world;
    if (webhook.target) throw new ApiError(409, WEBHOOK_ACTIVE);
    updates.reorder = this.faults.reorder;
    updates.allow(payload.allowed_updates as string[] | undefined);
    if (typeof payload.offset === "number" && payload.offset > 0) updates.confirmBelow(payload.offset);
    const limit = Math.min(100, Number(payload.limit ?? 100));
    return updates.poll({ limit, timeoutMs: Number(payload.timeout ?? 0) * 1000 }, response);
  }
}

function answer(response: ServerResponse, result: unknown): void {
  const failed = result instanceof ApiError;
  const body = failed
    ? { ok: false, error_code: result.code, description: result.message, parameters: result.parameters }
    : { ok: true, result };
  response.writeHead(failed ? result.code : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
