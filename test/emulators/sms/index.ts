/**
 * Twilio's messaging on loopback: `new SmsEmulator().start()`, then give a gateway its `url`, `accountSid` and `authToken`.
 * `say` writes as a person, `said` shows what the person sees. A webhook call that fails is repeated once, and only if
 * there was no connection, as at Twilio: what is lost then is only in the list.
 */
import { createHmac } from "node:crypto";
import type { ServiceFault, ServiceReply, ServiceRequest } from "../web-service.js";
import { WebService } from "../web-service.js";
import { type Delivery, WebhookCalls } from "../webhook-calls.js";

export interface SmsMessage {
  sid: string;
  direction: "inbound" | "outbound-api";
  from: string;
  to: string;
  body: string;
  status: string;
  atMs: number;
  media: { type: string; content: Buffer }[];
  statusCallback: string | null;
}

export interface SmsEmulatorOptions {
  /** As the gateway's operator has configured it; signatures are over this address. */
  webhookUrl?: string;
}

const PAGE_LIMIT = 1000;

export class SmsEmulator extends WebService {
  readonly accountSid = "AC00000000000000000000000000000042";
  authToken = "emulated-auth-token";
  readonly number = "+15550000001";
  readonly webhookUrl: string;
  /** Where the gateway's HTTP port really is. */
  gatewayUrl: string | undefined;
  readonly messages: SmsMessage[] = [];
  readonly webhooks = new WebhookCalls({
    timeoutMs: 15_000,
    retryMs: (attempts, status) => (status === 0 && attempts === 1 ? 10 : undefined),
    isCutOff: () => !this.isUp,
  });
  #ids = 0;

  constructor({ webhookUrl = "https://sms.example.org/webhooks/twilio" }: SmsEmulatorOptions = {}) {
    super();
    this.webhookUrl = webhookUrl;
  }

  /** For `platforms.sms` in config.yaml. */
  get settings() {
    return {
      account_sid: this.accountSid,
      auth_token: this.authToken,
      phone_number: this.number,
      webhook_url: this.webhookUrl,
      api_url: this.url,
      poll_seconds: 2,
    };
  }

  override async close(): Promise<void> {
    this.webhooks.close();
    await super.close();
  }

  // ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────

  say(from: string, body: string, media: SmsMessage["media"] = []): SmsMessage {
    const message = this.#add({
      direction: "inbound",
      from,
      to: this.number,
      body,
      status: "received",
      media,
    });
    this.#call(this.webhookUrl, from, this.formOf(message));
    return message;
  }

  /** What this person got from us, oldest first. */
  said(to: string): SmsMessage[] {
    return this.messages.filter((message) => message.direction === "outbound-api" && message.to === to);
  }

  formOf(message: SmsMessage): Record<string, string> {
    const { sid, from, to, body, media } = message;
    return {
      MessageSid: sid,
      SmsSid: sid,
      SmsStatus: "received",
      AccountSid: this.accountSid,
      From: from,
      To: to,
      Body: body,
      NumMedia: String(media.length),
      NumSegments: "1",
      ApiVersion: "2010-04-01",
      ...Object.fromEntries(
        media.flatMap(({ type }, i) => [
          [`MediaUrl${i}`, `${this.url}${this.#mediaPath(message, i)}`],
          [`MediaContentType${i}`, type],
        ]),
      ),
    };
  }

  /** A signed call of one of the webhook's addresses. */
  #call(address: string, key: string, form: Record<string, string>): Delivery | undefined {
    if (this.gatewayUrl === undefined) return undefined;
    const { pathname, search } = new URL(address);
    return this.webhooks.add({
      key,
      url: this.gatewayUrl + pathname + search,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": this.sign(address, form),
      },
      body: new URLSearchParams(form).toString(),
    });
  }

  sign(address: string, form: Record<string, string>): string {
    const fields = Object.keys(form)
      .sort()
      .map((name) => name + form[name]);
    return createHmac("sha1", this.authToken)
      .update(address + fields.join(""))
      .digest("base64");
  }

  #add(message: Omit<SmsMessage, "sid" | "atMs" | "statusCallback">, statusCallback: string | null = null) {
    this.#ids += 1;
    const sid = `${message.media.length > 0 ? "MM" : "SM"}${String(this.#ids).padStart(32, "0")}`;
    const added: SmsMessage = { ...message, sid, atMs: Date.now(), statusCallback };
    this.messages.push(added);
    return added;
  }

  /** Twilio reports what became of a message. */
  report({ sid, to, statusCallback }: SmsMessage, status: string, errorCode?: number): void {
    if (statusCallback === null) return;
    const error = errorCode === undefined ? {} : { ErrorCode: String(errorCode) };
    const form = { MessageSid: sid, MessageStatus: status, AccountSid: this.accountSid, To: to, ...error };
    this.#call(statusCallback, `status ${to}`, form);
  }

  // ── faults ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Of the next send. */
  failSend(fault: ServiceFault): void {
    this.faults.next(isSend, fault);
  }

  rateLimit(seconds: number): void {
    const body = { code: 20429, message: "Too Many Requests", status: 429 };
    this.failSend({
      kind: "reply",
      reply: { status: 429, body, headers: { "retry-after": String(seconds) } },
    });
  }

  refuseNext(code: number): void {
    const body = { code, message: `refused for +15551112222`, status: 400 };
    this.failSend({ kind: "reply", reply: { status: 400, body } });
  }

  get sends(): number {
    return this.calls.filter(({ method, path }) => method === "POST" && path.endsWith("/Messages.json"))
      .length;
  }

  // ── the API ───────────────────────────────────────────────────────────────────────────────────────────────────────

  protected respond(request: ServiceRequest): ServiceReply {
    const { url, method } = request;
    const root = `/2010-04-01/Accounts/${this.accountSid}`;
    if (url.pathname !== `${root}.json` && !url.pathname.startsWith(`${root}/`)) return NOT_FOUND;
    if (!this.#isAuthentic(request)) return UNAUTHORIZED;
    const path = url.pathname.slice(root.length);
    if (path === ".json")
      return {
        status: 200,
        body: { sid: this.accountSid, friendly_name: "Emulated", status: "active", type: "Full" },
      };
    if (path === "/IncomingPhoneNumbers.json") return this.#numbers(url.searchParams);
    if (path === "/Messages.json") return method === "POST" ? this.#send(request) : this.#list(url);
    const [, sid, rest = ""] = /^\/Messages\/(\w+)((?:\/Media(?:\/\d+)?)?(?:\.json)?)$/.exec(path) ?? [];
    const message = this.messages.find((one) => one.sid === sid);
    return message ? this.#about(message, rest) : NOT_FOUND;
  }

  #isAuthentic({ headers }: ServiceRequest): boolean {
    const secret = Buffer.from(`${this.accountSid}:${this.authToken}`).toString("base64");
    return headers.authorization === `Basic ${secret}`;
  }

  #numbers(query: URLSearchParams): ServiceReply {
    const known = query.get("PhoneNumber") === this.number;
    const numbers = known ? [{ phone_number: this.number, sms_url: this.webhookUrl }] : [];
    return { status: 200, body: { incoming_phone_numbers: numbers } };
  }

  #send({ body }: ServiceRequest): ServiceReply {
    const form = new URLSearchParams(body.toString());
    const to = form.get("To") ?? "";
    const text = form.get("Body") ?? "";
    if (!/^\+?\d{3,15}$/.test(to))
      return refused(21211, `The 'To' number ${to} is not a valid phone number.`);
    if (text === "") return refused(21602, "Message body is required.");
    if (text.length > 1600)
      return refused(21617, "The concatenated message body exceeds the 1600 character limit.");
    const from = form.get("From") ?? this.number;
    const message = this.#add(
      { direction: "outbound-api", from, to, body: text, status: "queued", media: [] },
      form.get("StatusCallback"),
    );
    this.report(message, "sent");
    return { status: 201, body: wire(message) };
  }

  /** Newest first, by whole days. */
  #list({ searchParams: query, pathname }: URL): ServiceReply {
    const [to, from, day] = [query.get("To"), query.get("From"), query.get("DateSent>")];
    const size = Math.min(PAGE_LIMIT, Number(query.get("PageSize") ?? 50));
    const page = Number(query.get("Page") ?? 0);
    const found = this.messages
      .filter((message) => (to === null || message.to === to) && (from === null || message.from === from))
      .filter(({ atMs }) => day === null || new Date(atMs).toISOString().slice(0, 10) >= day)
      .toReversed();
    const next = new URLSearchParams(query);
    next.set("Page", String(page + 1));
    const hasMore = found.length > (page + 1) * size;
    return {
      status: 200,
      body: {
        messages: found.slice(page * size, (page + 1) * size).map(wire),
        next_page_uri: hasMore ? `${pathname}?${next}` : null,
      },
    };
  }

  #about(message: SmsMessage, rest: string): ServiceReply {
    if (rest === ".json") return { status: 200, body: wire(message) };
    if (rest === "/Media.json") {
      const list = message.media.map(({ type }, i) => ({
        content_type: type,
        uri: `${this.#mediaPath(message, i)}.json`,
      }));
      return { status: 200, body: { media_list: list } };
    }
    const file = message.media[Number(rest.slice("/Media/".length))];
    return file ? { status: 200, body: file.content, headers: { "content-type": file.type } } : NOT_FOUND;
  }

  #mediaPath({ sid }: SmsMessage, index: number): string {
    return `/2010-04-01/Accounts/${this.accountSid}/Messages/${sid}/Media/${index}`;
  }
}

const NOT_FOUND: ServiceReply = { status: 404, body: { code: 20404, message: "not found", status: 404 } };
const UNAUTHORIZED: ServiceReply = {
  status: 401,
  body: { code: 20003, message: "Authenticate", status: 401 },
};

function refused(code: number, message: string): ServiceReply {
  return { status: 400, body: { code, message, status: 400 } };
}

function isSend({ method, url }: ServiceRequest): boolean {
  return method === "POST" && url.pathname.endsWith("/Messages.json");
}

/** Times have whole seconds. */
function wire({ sid, direction, from, to, body, status, atMs, media }: SmsMessage) {
  const date = new Date(atMs).toUTCString().replace("GMT", "+0000");
  return {
    sid,
    direction,
    from,
    to,
    body,
    status,
    date_created: date,
    date_sent: date,
    num_media: String(media.length),
  };
}
