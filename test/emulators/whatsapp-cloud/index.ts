/**
 * WhatsApp's Cloud API on loopback: `new WhatsAppEmulator().start()`. `say` writes as a person, `said` shows what the person
 * sees. Like Meta, it repeats a webhook call until it is answered with 200, and reports each message's status so.
 */
import { createHmac } from "node:crypto";
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
}

export class WhatsAppEmulator extends WebService {
  readonly phoneNumberId = "100200300";
  accessToken = "emulated-access-token";
  readonly appSecret = "emulated-app-secret";
  gatewayUrl: string | undefined;
  readonly path = "/whatsapp/webhook";
  readonly messages: WhatsAppMessage[] = [];
  typing = 0;
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
    const message = this.#add({ chat, from: "person", text, replyTo });
    this.call(chat, {
      contacts: [{ wa_id: chat, profile: { name: "Ann" } }],
      messages: [
        {
          from: chat,
          id: message.id,
          timestamp: String(Math.floor(message.atMs / 1000)),
          type: "text",
          text: { body: text },
          ...(replyTo === null ? {} : { context: { id: replyTo } }),
        },
      ],
    });
    return message;
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

  sends = 0;

  protected respond(request: ServiceRequest): ServiceReply {
    if (request.headers.authorization !== `Bearer ${this.accessToken}`) return failed(401, 190);
    const path = request.url.pathname.replace(/^\/v\d+\.\d+/, "");
    if (path === `/${this.phoneNumberId}`)
      return { status: 200, body: { display_phone_number: "+1 555 000 0001", verified_name: "Hermes" } };
    if (path === `/${this.phoneNumberId}/messages`) return this.#post(JSON.parse(request.body.toString()));
    return failed(404, 100);
  }

  #post(given: {
    to?: string;
    status?: string;
    text?: { body: string };
    context?: { message_id: string };
    biz_opaque_callback_data?: string;
  }): ServiceReply {
    if (given.status === "read") {
      this.typing += 1;
      return { status: 200, body: { success: true } };
    }
    const { to = "", text, context, biz_opaque_callback_data: name } = given;
    if (!/^\d{5,20}$/.test(to) || !text?.body) return failed(400, 100);
    if (text.body.length > 4096) return failed(400, 100);
    const known = this.messages.some(({ id }) => id === context?.message_id);
    const replyTo = known ? (context?.message_id ?? null) : null;
    const { id } = this.#add({ chat: to, from: "bot", text: text.body, replyTo });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const echoed = name === undefined ? {} : { biz_opaque_callback_data: name };
    this.call(`status ${to}`, { statuses: [{ id, status: "sent", timestamp, recipient_id: to, ...echoed }] });
    return { status: 200, body: { messaging_product: "whatsapp", messages: [{ id }] } };
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

function failed(status: number, code: number): ServiceReply {
  return { status, body: { error: { message: "failed", type: "OAuthException", code } } };
}
