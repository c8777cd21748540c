/**
 * A BlueBubbles server on loopback: `new BlueBubblesEmulator().start()`. `say` writes as a person, `said` shows what people
 * see. Like the real one it calls each webhook once and never again, and forgets a `tempGuid` when its send is over.
 */
import { type FormFile, readForm } from "../multipart.js";
import { type ServiceFault, type ServiceReply, type ServiceRequest, WebService } from "../web-service.js";
import { WebhookCalls } from "../webhook-calls.js";
import { type MacChat, type MacMessage, Messages } from "./messages.js";

export type { MacChat, MacMessage } from "./messages.js";

interface Registered {
  id: number;
  url: string;
  events: string[];
}

type Json = Record<string, unknown>;

const ok = (data: unknown): ServiceReply => ({
  status: 200,
  body: { status: 200, message: "Success", data },
});

export class BlueBubblesEmulator extends WebService {
  password = "emulated-password";
  privateApi = true;
  version = "1.9.9";
  readonly mac = new Messages();
  /** Address → name. */
  readonly contacts = new Map<string, string>();
  readonly registered: Registered[] = [];
  /** Where the gateway's HTTP port is; undefined: no webhook gets through. */
  gatewayUrl: string | undefined;
  /** Signs that people saw: chat → is typing. */
  readonly typing: { chat: string; isTyping: boolean }[] = [];
  readonly reads: string[] = [];
  /** Names of sends that are still under way. */
  readonly queued = new Set<string>();
  /** The bot's tapbacks: message → reaction. */
  readonly tapbacks = new Map<string, string>();
  readonly webhooks = new WebhookCalls({
    timeoutMs: 10_000,
    retryMs: () => undefined,
    isCutOff: () => !this.isUp || this.gatewayUrl === undefined,
  });

  override async close(): Promise<void> {
    this.webhooks.close();
    await super.close();
  }

  // ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────

  say(chat: MacChat, sender: string, text: string, more: Partial<MacMessage> = {}): MacMessage {
    const message = this.mac.add(chat, { sender, text, ...more });
    this.#tell("new-message", message);
    return message;
  }

  sendFile(chat: MacChat, sender: string, file: FormFile, text = ""): MacMessage {
    return this.say(chat, sender, `\ufffc${text}`, { files: [this.mac.keep(file)] });
  }

  edit(message: MacMessage, text: string): void {
    Object.assign(message, { text, editedAtMs: Date.now() });
    this.#tell("updated-message", message);
  }

  retract(message: MacMessage): void {
    Object.assign(message, { text: "", retractedAtMs: Date.now() });
    this.#tell("updated-message", message);
  }

  /** Delivered, read: the same event as an edit. */
  touch(message: MacMessage): void {
    this.#tell("updated-message", message);
  }

  /** What the bot has written in a chat, oldest first. */
  said(chat: MacChat): MacMessage[] {
    return this.mac.in(chat).filter(({ isFromMe }) => isFromMe);
  }

  #tell(type: string, message: MacMessage): void {
    this.call({ type, data: this.mac.serialize(message) }, type);
  }

  call(content: unknown, type = "new-message"): void {
    const body = JSON.stringify(content);
    const headers = { "content-type": "application/json" };
    for (const { url, events } of this.registered) {
      if (!events.includes(type) && !events.includes("*")) continue;
      const { pathname, search } = new URL(url);
      // Not in order: each call is its own.
      const key = `${this.webhooks.all.length}`;
      this.webhooks.add({ key, url: `${this.gatewayUrl ?? ""}${pathname}${search}`, headers, body });
    }
  }

  // ── faults ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Of the next message to a person. */
  failSend(fault: ServiceFault): void {
    this.faults.next(isSend, fault);
  }

  // ── REST ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  protected respond(request: ServiceRequest): ServiceReply {
    const { url, method } = request;
    if (url.searchParams.get("password") !== this.password) return failed(401, "Unauthorized");
    const path = url.pathname.replace(/^\/api\/v1/, "");
    const [, first = "", second = "", third = ""] = path.split("/").map(decodeURIComponent);
    if (path === "/server/info") return ok(this.#info());
    if (first === "webhook") return this.#webhook(method, second, request);
    if (path === "/message/query") return ok(this.mac.query(jsonOf(request)));
    if (path === "/message/text") return this.#sendText(jsonOf(request));
    if (path === "/message/attachment") return this.#sendFile(request);
    if (path === "/message/react") return this.#react(jsonOf(request));
    if (path === "/chat/query") return ok(this.mac.listChats(jsonOf(request)));
    if (path === "/contact/query") return this.#contacts(jsonOf(request));
    if (path === "/chat/new") return this.#newChat(jsonOf(request));
    if (first === "message") return found(this.mac.serialized(second));
    if (first === "attachment") return this.#download(second);
    if (first === "chat") return this.#sign(second, third, method);
    return failed(404, "Not found");
  }

  #info(): object {
    return {
      server_version: this.version,
      os_version: "15.1",
      private_api: this.privateApi,
      helper_connected: this.privateApi,
    };
  }

  #contacts({ addresses }: Json): ServiceReply {
    const names = (addresses as string[]).flatMap((address) => this.contacts.get(address) ?? []);
    return ok(names.map((displayName) => ({ displayName })));
  }

  #webhook(method: string, id: string, request: ServiceRequest): ServiceReply {
    if (method === "GET") return ok(this.registered);
    if (method === "DELETE") {
      const at = this.registered.findIndex((one) => String(one.id) === id);
      if (at >= 0) this.registered.splice(at, 1);
      return ok(null);
    }
    const { url, events } = jsonOf(request) as { url: string; events: string[] };
    const known = ["new-message", "updated-message", "message-send-error", "typing-indicator", "*"];
    if (!URL.canParse(url) || !events.every((event) => known.includes(event)))
      return failed(400, "Bad events");
    this.registered.push({ id: (this.registered.at(-1)?.id ?? 0) + 1, url, events });
    return ok(this.registered.at(-1));
  }

  #sendText(given: Json): ServiceReply {
    const { chatGuid, tempGuid, message, method, selectedMessageGuid: quote } = given;
    const chat = this.mac.chats.find(({ guid }) => guid === chatGuid);
    if (!chat) return failed(400, "Chat does not exist!");
    if (this.queued.has(String(tempGuid)))
      return failed(400, `Message is already queued to be sent! (Temp GUID: ${String(tempGuid)})`);
    if (typeof message !== "string" || message === "" || typeof tempGuid !== "string")
      return failed(400, "Invalid");
    if ((method === "private-api" || quote !== undefined) && !this.privateApi)
      return failed(500, "iMessage Private API is not enabled!");
    // The quote of a message that was taken back is not shown.
    const quoted = this.mac.all.find(({ guid, retractedAtMs }) => guid === quote && retractedAtMs === 0);
    return ok(this.#post(chat, { text: message, threadGuid: quoted?.guid ?? null }));
  }

  #sendFile({ body, headers }: ServiceRequest): ServiceReply {
    const { fields, file } = readForm(body, headers["content-type"] ?? "");
    const chat = this.mac.chats.find(({ guid }) => guid === fields.chatGuid);
    if (!chat || !file || !fields.tempGuid || !fields.name) return failed(400, "Invalid");
    const kept = this.mac.keep({ ...file, name: fields.name });
    return ok(this.#post(chat, { text: "\ufffc", files: [kept], isAudio: fields.isAudioMessage === "true" }));
  }

  #newChat({ addresses, message }: Json): ServiceReply {
    if (!this.privateApi) return failed(500, "iMessage Private API is not enabled!");
    const chat = this.mac.direct(String((addresses as unknown[])[0]));
    return ok({ guid: chat.guid, messages: [this.#post(chat, { text: String(message) })] });
  }

  /** In a chat with oneself, the message comes in as well. */
  #post(chat: MacChat, more: Partial<MacMessage>): object {
    const sent = this.mac.add(chat, { isFromMe: true, sender: null, ...more });
    this.typing.push({ chat: chat.guid, isTyping: false });
    this.#tell("new-message", sent);
    if (chat.isSelf) this.say(chat, chat.identifier, sent.text);
    return this.mac.serialize(sent);
  }

  #react({ selectedMessageGuid, reaction }: Json): ServiceReply {
    if (!this.privateApi || typeof selectedMessageGuid !== "string" || typeof reaction !== "string")
      return failed(500, "No");
    if (reaction.startsWith("-")) this.tapbacks.delete(selectedMessageGuid);
    else this.tapbacks.set(selectedMessageGuid, reaction);
    return ok({});
  }

  #sign(chat: string, sign: string, method: string): ServiceReply {
    if (!this.privateApi || !this.mac.chats.some(({ guid }) => guid === chat)) return failed(500, "No");
    if (sign === "typing") this.typing.push({ chat, isTyping: method === "POST" });
    if (sign === "read") this.reads.push(chat);
    return ok(null);
  }

  #download(guid: string): ServiceReply {
    const file = this.mac.files.get(guid);
    if (!file) return failed(404, "No such file");
    return { status: 200, body: file.content, headers: { "content-type": file.type } };
  }
}

function isSend({ method, url }: ServiceRequest): boolean {
  return method === "POST" && /\/(?:message\/(?:text|attachment)|chat\/new)$/.test(url.pathname);
}

function jsonOf({ body }: ServiceRequest): Json {
  return JSON.parse(body.toString()) as Json;
}

function found(data: unknown): ServiceReply {
  return data === undefined ? failed(404, "Message does not exist!") : ok(data);
}

export function failed(status: number, message: string): ServiceReply {
  return { status, body: { status, message, error: { type: "Error", message } } };
}
