/** One part of an answer → a message at Twilio; and how to find one whose send was interrupted. */
import { pause } from "../../backoff.js";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage } from "../../message.js";
import type { LookedUp, PartContext } from "../adapter.js";
import type { TwilioApi, TwilioMessage } from "./api.js";
import type { Settings } from "./config.js";
import { sendErrorOf } from "./faults.js";
import { isMessageSid, isNumber, partName } from "./ids.js";
import { createdAt } from "./normalise.js";
import { marked, REPEAT, type SmsPart } from "./render.js";
import { segmentsOf } from "./segments.js";
import { statusUrl } from "./webhook.js";

const MAX_KNOWN = 2000;
const MAX_PAGES = 5;

export class Sender {
  readonly #api: TwilioApi;
  readonly #settings: Settings;
  /** Names of parts → sids, from Twilio's answers and status callbacks. */
  readonly #sids = new BoundedMap<string, string>(MAX_KNOWN);
  /** The other way round: such a message is no other part. */
  readonly #names = new BoundedMap<string, string>(MAX_KNOWN);
  /** When a send without an answer ended. */
  readonly #doubts = new BoundedMap<string, number>(MAX_KNOWN);

  constructor(api: TwilioApi, settings: Settings) {
    this.#api = api;
    this.#settings = settings;
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    part: SmsPart,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const to = target.chatId;
    if (!isNumber(to)) throw new SendError("refused", "The message has no phone number");
    const ids: string[] = [];
    for (const text of mayBeRepeat ? marked(part) : [part.text])
      ids.push(await this.#send(to, text, partName(nonce, index), signal));
    return ids;
  }

  async #send(to: string, text: string, name: string, signal: AbortSignal): Promise<string> {
    const { phoneNumber, messagingServiceSid, webhookUrl, log } = this.#settings;
    const form = {
      To: to,
      ...(messagingServiceSid === null
        ? { From: phoneNumber }
        : { MessagingServiceSid: messagingServiceSid }),
      Body: text,
      ...(webhookUrl === null ? {} : { StatusCallback: statusUrl(webhookUrl, name) }),
    };
    try {
      const sid = await this.#api.send(form, signal);
      this.arrived(name, sid);
      log("debug", "sent an SMS", { ...segmentsOf(text) });
      return sid;
    } catch (error) {
      const failure = sendErrorOf(error);
      if (failure.outcome === "unknown") this.#doubts.set(name, performance.now());
      throw failure;
    }
  }

  /** Twilio has this part, as this message. */
  arrived(name: string, sid: string): void {
    this.#sids.set(name, sid);
    this.#names.set(sid, name);
  }

  /** Status callbacks are exact. Without one, the list is searched for the text, after the message that it answers. */
  async lookUp(
    { target, nonce }: OutboundMessage,
    part: SmsPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const { chatId: to, replyTo } = target;
    const name = partName(nonce, context.index);
    await this.#settle(name, signal);
    const known = this.#sids.get(name);
    if (known !== undefined) return [known];
    if (!isNumber(to)) return "unknown";
    try {
      const since = isMessageSid(replyTo) ? createdAt(await this.#api.message(replyTo, signal)) : undefined;
      const found = await this.#search(to, part, { name, since, sent: context.sent }, signal);
      if (Array.isArray(found)) this.arrived(name, found.at(-1)!);
      return found;
    } catch (error) {
      const { outcome, message, retryAfterMs, scope } = sendErrorOf(error);
      if (outcome === "refused") return "unknown";
      throw new SendError("never_sent", message, { retryAfterMs, scope, cause: error });
    }
  }

  async #settle(name: string, signal: AbortSignal): Promise<void> {
    const doubtAt = this.#doubts.get(name);
    if (doubtAt === undefined) return;
    await pause(Math.max(0, doubtAt + this.#settings.timing.settleMs - performance.now()), signal);
  }

  async #search(
    to: string,
    part: SmsPart,
    wanted: { name: string; since: number | undefined; sent: readonly string[] },
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const { name, since, sent } = wanted;
    const isIt = (message: TwilioMessage) =>
      isMessageSid(message.sid) &&
      message.direction !== "inbound" &&
      !sent.includes(message.sid) &&
      (this.#names.get(message.sid) ?? name) === name &&
      isText(message.body, part);
    let page = await this.#api.list({ To: to }, signal);
    for (let pages = 1; ; pages++) {
      const recent = page.messages.filter(
        (message) => since === undefined || (createdAt(message) ?? since) >= since,
      );
      const found = recent.findLast(isIt);
      // Without a question before it, the same text may have been sent on another day.
      if (found) return since === undefined ? "unknown" : [found.sid as string];
      if (recent.length < page.messages.length || page.next === null) return "missing";
      if (pages >= MAX_PAGES) return "unknown";
      page = await this.#api.next(page.next, signal);
    }
  }
}

/** Trial accounts have words of Twilio's before the text. */
function isText(body: unknown, { text }: SmsPart): boolean {
  if (typeof body !== "string") return false;
  const sent = body.trimEnd();
  const wanted = text.trimEnd();
  return (
    sent === wanted ||
    sent === `${REPEAT}\n${wanted}` ||
    (/^Sent from your Twilio trial account - /.test(sent) && sent.endsWith(wanted))
  );
}
