/**
 * WhatsApp's Cloud API on loopback: `new WhatsAppEmulator().start()`. `say` writes as a person, `said` shows what the person
 * sees. Like Meta, it repeats a webhook call until it is answered with 200, and reports each message's status so.
 */
import { createHmac } from "node:crypto";
import { type FormFile, readForm } from "../multipart.js";
import { type ServiceFault, type ServiceReply, type ServiceRequest, WebService } from "../web-service.js";
import { WebhookCalls } from "../webhook-calls.js";

export interface WhatsAppMessage {
  id: string;
  /** The person's number. */
  chat: string;
  from: "person" | "bot";
  text: string;
  replyTo: string | null;
  atMs: number;
  /** Of a question. */
  rows?: Row[];
  /** Of a file that the bot sent. */
  file?: { kind: string; name: string; type: string; content: Buffer; caption: string };
}

interface Row {
  id: string;
  title: string;
  description?: string;
}

interface Sent {
  to?: string;
  type?: string;
  status?: string;
  text?: { body: string };
  interactive?: {
    type: string;
    body: { text: string };
    action: {
      buttons?: { reply: { id: string; title: string } }[];
      sections?: { rows: Row[] }[];
    };
  };
  reaction?: { message_id: string; emoji: string };
  context?: { message_id: string };
  biz_opaque_callback_data?: string;
}

const FILE_KINDS = ["image", "video", "audio", "document"];

export class WhatsAppEmulator extends WebService {
  readonly phoneNumberId = "100200300";
  accessToken = "emulated-access-token";
  readonly appSecret = "emulated-app-secret";
  gatewayUrl: string | undefined;
  readonly path = "/whatsapp/webhook";
  readonly messages: WhatsAppMessage[] = [];
  typing = 0;
  /** The bot's reactions: message → emoji. */
  readonly reactions = new Map<string, string>();
  readonly files = new Map<string, FormFile>();
  /** How many apps get the messages of the business account. */
  subscribedApps = 1;
  readonly webhooks = new WebhookCalls({
    timeoutMs: 10_000,
    retryMs: () => 30,
    isCutOff: () => !this.isUp,
  });
  #ids = 0;

  override async close(): Promise<void> {
    this.webhooks.close();
    await super.close();
  }

  say(chat: string, text: string, replyTo: string | null = null): WhatsAppMessage {
    return this.write(chat, text, { type: "text", text: { body: text } }, replyTo);
  }

  /** A message of any kind. */
  write(chat: string, text: string, content: object, replyTo: string | null = null): WhatsAppMessage {
    const message = this.#add({ chat, from: "person", text, replyTo });
    const timestamp = String(Math.floor(message.atMs / 1000));
    const context = replyTo === null ? {} : { context: { id: replyTo } };
    this.call(chat, {
      contacts: [{ wa_id: chat, profile: { name: "Ann" } }],
      messages: [{ from: chat, id: message.id, timestamp, ...context, ...content }],
    });
    return message;
  }

  sendFile(chat: string, kind: string, file: FormFile, caption?: string): WhatsAppMessage {
    const id = this.#keep(file);
    const media = { id, mime_type: file.type, filename: file.name, ...(caption ? { caption } : {}) };
    return this.write(chat, caption ?? "", { type: kind, [kind]: media });
  }

  /** The person taps a choice of a question. */
  press(chat: string, messageId: string, title: string): WhatsAppMessage {
    const { rows = [] } = this.messages.find(({ id }) => id === messageId) ?? {};
    const row = rows.find((one) => one.title === title)!;
    const reply = rows.length > 3 ? { list_reply: row } : { button_reply: row };
    return this.write(chat, title, { type: "interactive", interactive: reply }, messageId);
  }

  report({ id, chat }: WhatsAppMessage, status: string, code?: number): void {
    const errors = code === undefined ? {} : { errors: [{ code, title: "failed" }] };
    this.call(`status ${chat}`, { statuses: [{ id, status, recipient_id: chat, ...errors }] });
  }

  said(chat: string): WhatsAppMessage[] {
    return this.messages.filter((message) => message.chat === chat && message.from === "bot");
  }

  /** A signed call about our number. */
  call(key: string, value: object): void {
    const metadata = { phone_number_id: this.phoneNumberId, display_phone_number: "15550000001" };
    const change = { field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } };
    this.callRaw(key, { object: "whatsapp_business_account", entry: [{ id: "1", changes: [change] }] });
  }

  callRaw(key: string, content: unknown): void {
    if (this.gatewayUrl === undefined) return;
    const body = JSON.stringify(content);
    const signature = createHmac("sha256", this.appSecret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    this.webhooks.add({ key, url: this.gatewayUrl + this.path, headers, body });
  }

  /** Of the next message to a person. */
  failSend(fault: ServiceFault): void {
    this.faults.next(isSend, fault);
  }

  refuseNext(code: number, status = 400, headers: Record<string, string> = {}): void {
    const body = { error: { message: "refused", type: "OAuthException", code } };
    this.failSend({ kind: "reply", reply: { status, body, headers } });
  }

  protected respond(request: ServiceRequest): ServiceReply {
    if (request.headers.authorization !== `Bearer ${this.accessToken}`) return failed(401, 190);
    const path = request.url.pathname.replace(/^\/v\d+\.\d+/, "");
    if (path === `/${this.phoneNumberId}`)
      return { status: 200, body: { display_phone_number: "+1 555 000 0001", verified_name: "Hermes" } };
    if (path === `/${this.phoneNumberId}/messages`) return this.#post(JSON.parse(request.body.toString()));
    if (path === `/${this.phoneNumberId}/media`) return this.#upload(request);
    if (path.endsWith("/subscribed_apps"))
      return { status: 200, body: { data: Array.from({ length: this.subscribedApps }, () => ({})) } };
    const [, id = "", place] = path.split("/");
    const file = this.files.get(id);
    if (!file) return failed(404, 100);
    if (place === "content")
      return { status: 200, body: file.content, headers: { "content-type": file.type } };
    return { status: 200, body: { url: `${this.url}/v20.0/${id}/content`, mime_type: file.type } };
  }

  #upload({ headers, body }: ServiceRequest): ServiceReply {
    const { file } = readForm(body, headers["content-type"] ?? "");
    return file ? { status: 200, body: { id: this.#keep(file) } } : failed(400, 100);
  }

  #keep(file: FormFile): string {
    const id = String(9000 + this.files.size);
    this.files.set(id, file);
    return id;
  }

  #post(given: Sent): ServiceReply {
    if (given.status === "read") {
      this.typing += 1;
      return { status: 200, body: { success: true } };
    }
    const { to = "", reaction, context, biz_opaque_callback_data: name } = given;
    if (!/^\d{5,20}$/.test(to)) return failed(400, 100);
    if (reaction) return this.#react(reaction);
    const content = this.#contentOf(given);
    if (!content) return failed(400, 100);
    const known = this.messages.some(({ id }) => id === context?.message_id);
    const replyTo = known ? (context?.message_id ?? null) : null;
    const { id } = this.#add({ chat: to, from: "bot", replyTo, ...content });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const echoed = name === undefined ? {} : { biz_opaque_callback_data: name };
    this.call(`status ${to}`, { statuses: [{ id, status: "sent", timestamp, recipient_id: to, ...echoed }] });
    return { status: 200, body: { messaging_product: "whatsapp", messages: [{ id }] } };
  }

  #react({ message_id, emoji }: { message_id: string; emoji: string }): ServiceReply {
    if (emoji === "") this.reactions.delete(message_id);
    else this.reactions.set(message_id, emoji);
    return { status: 200, body: { messages: [{ id: "wamid.reaction" }] } };
  }

  /** Within Meta's limits; undefined: it is refused. */
  #contentOf(given: Sent): Pick<WhatsAppMessage, "text" | "rows" | "file"> | undefined {
    const { type = "", text, interactive } = given;
    if (type === "text") return isWithin(text?.body, 4096) ? { text: text!.body } : undefined;
    if (interactive) {
      const { buttons, sections } = interactive.action;
      const rows: Row[] = buttons?.map(({ reply }) => reply) ?? sections?.flatMap((one) => one.rows) ?? [];
      const [most, title] = buttons ? [3, 20] : [10, 24];
      const fit = rows.every(
        (row) => isWithin(row.title, title) && isWithin(row.id, 200) && isWithin(row.description ?? "-", 72),
      );
      const isAllowed =
        isWithin(interactive.body.text, 1024) && rows.length >= 1 && rows.length <= most && fit;
      return isAllowed ? { text: interactive.body.text, rows } : undefined;
    }
    const media = (given as Record<string, { id: string; caption?: string; filename?: string } | undefined>)[
      type
    ];
    const file = media && this.files.get(media.id);
    if (!file || !FILE_KINDS.includes(type)) return undefined;
    const { caption = "", filename = "" } = media;
    return { text: caption, file: { ...file, kind: type, name: filename, caption } };
  }

  #add(message: Omit<WhatsAppMessage, "id" | "atMs">): WhatsAppMessage {
    this.#ids += 1;
    const added = { ...message, id: `wamid.${String(this.#ids).padStart(8, "0")}`, atMs: Date.now() };
    this.messages.push(added);
    return added;
  }
}

function isSend({ method, body }: ServiceRequest): boolean {
  return method === "POST" && body.includes('"biz_opaque_callback_data"');
}

function isWithin(text: string | undefined, most: number): boolean {
  return text !== undefined && text !== "" && text.length <= most;
}

function failed(status: number, code: number): ServiceReply {
  return { status, body: { error: { message: "failed", type: "OAuthException", code } } };
}
