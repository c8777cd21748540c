/** SMS over Twilio: a signed webhook and the list of messages in, the REST API out. */
import { nowSeconds } from "../../clock.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage } from "../../message.js";
import { settlesWithin, withTimeout } from "../../timeout.js";
import type { Adapter, AdapterEvents, CanLookUp, Health, LookedUp, PartContext } from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { TwilioApi } from "./api.js";
import { type Settings, type SmsOptions, settingsOf } from "./config.js";
import { Uplink } from "./connect.js";
import { laterFault } from "./faults.js";
import { Gap } from "./gap.js";
import { isMessageSid, PLATFORM } from "./ids.js";
import { readCall } from "./normalise.js";
import { Receiver } from "./receive.js";
import { LIMIT, render, type SmsPart } from "./render.js";
import { Sender } from "./send.js";
import { answerCall, statusPath, statusUrl } from "./webhook.js";

export type { SmsOptions } from "./config.js";

export interface SmsAdapter extends Adapter, CanLookUp {
  /** Paths on our HTTP port; none: messages are only fetched. */
  readonly callbacks: readonly { path: string; handle(request: Request): Promise<Response> }[];
}

export function smsAdapter(options: SmsOptions): SmsAdapter {
  return new Sms(settingsOf(options));
}

interface Session {
  uplink: Uplink;
  receiver: Receiver;
  sender: Sender;
  signal: AbortSignal;
  running: Promise<void>;
}

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 1000;
const FAILED = new Set(["failed", "undelivered"]);

class Sms implements SmsAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly callbacks: SmsAdapter["callbacks"];
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  #session: Session | undefined;
  /** Twilio called before we were connected, and won't call again. */
  #wasEarly = false;
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    const { account, webhookUrl, webhookPath, pollMs, timing, log } = settings;
    this.#settings = settings;
    this.account = account;
    this.#health = new HealthTracker({ label: "Twilio", staleMs: 2 * pollMs + timing.callMs, log });
    this.callbacks =
      webhookUrl === null
        ? []
        : [
            { path: webhookPath, handle: (request) => this.#take(request, webhookUrl) },
            { path: statusPath(webhookPath), handle: (request) => this.#takeStatus(request, webhookUrl) },
          ];
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const settings = this.#settings;
    const api = new TwilioApi(settings);
    const receiver = new Receiver({ api, settings, events, signal: life.signal });
    const gap = new Gap({
      api,
      self: settings,
      events,
      receive: (incoming) => receiver.receiveNew(incoming),
    });
    const uplink = new Uplink({ api, settings, health: this.#health, gap });
    const session = { uplink, receiver, sender: new Sender(api, settings), signal: life.signal };
    await uplink.open(life.signal).catch((error: unknown) => {
      life.abort();
      throw error;
    });
    if (life.signal.aborted) return;
    if (this.#wasEarly) uplink.hurry();
    this.#wasEarly = false;
    this.#session = { ...session, running: uplink.run(life.signal) };
  }

  async disconnect(): Promise<void> {
    this.#health.closed();
    this.#life?.abort();
    if (this.#session) await settlesWithin(this.#session.running, DISCONNECT_MS);
  }

  health(): Health {
    return this.#health.read();
  }

  readonly render = ({ text }: OutboundMessage): SmsPart[] => render(text, this.#settings);

  async sendPart(
    message: OutboundMessage,
    part: SmsPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!this.#session) throw new SendError("never_sent", "Not connected to Twilio");
    return this.#session.sender.sendPart(message, part, context, signal);
  }

  async lookUp(
    message: OutboundMessage,
    part: SmsPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    return (await this.#session?.sender.lookUp(message, part, context, signal)) ?? "unknown";
  }

  get #open(): Session | undefined {
    return this.#session?.signal.aborted === false ? this.#session : undefined;
  }

  /** A call may have overtaken older messages whose calls got lost, so the list is read first. */
  #take(request: Request, url: string): Promise<Response> {
    const session = this.#open;
    this.#wasEarly ||= session === undefined;
    const { authToken, timing } = this.#settings;
    const receive = async (form: URLSearchParams) => {
      const incoming = readCall(form, this.#settings, nowSeconds());
      if (!incoming || !session) return;
      const { uplink, receiver, signal } = session;
      // The uplink reports a failed read; this message is received anyway.
      await withTimeout(uplink.fill(signal), timing.nudgeMs).catch(() => undefined);
      await receiver.receive(incoming).catch((error: unknown) => {
        uplink.hurry();
        throw error;
      });
    };
    return answerCall(request, { url, authToken, receive: session && receive });
  }

  #takeStatus(request: Request, webhookUrl: string): Promise<Response> {
    const session = this.#open;
    const part = new URL(request.url).searchParams.get("n") ?? "";
    const receive = async (form: URLSearchParams) => {
      const sid = form.get("MessageSid");
      if (isMessageSid(sid)) session?.sender.arrived(part, sid);
      this.#judge(form.get("MessageStatus") ?? "", Number(form.get("ErrorCode") ?? 0));
    };
    const { authToken } = this.#settings;
    return answerCall(request, { url: statusUrl(webhookUrl, part), authToken, receive: session && receive });
  }

  #judge(status: string, code: number): void {
    if (status === "delivered") this.#health.issue("delivery", undefined);
    if (!FAILED.has(status)) return;
    const { text, forOperator } = laterFault(code);
    if (forOperator) this.#health.issue("delivery", text);
    else this.#settings.log("warn", text);
  }
}
