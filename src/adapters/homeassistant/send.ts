/** One part of an outbound message → a notification. Its id is fixed, so another attempt replaces it. */
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import type { PartContext } from "../adapter.js";
import { type HomeAssistantApi, sendErrorOf } from "./api.js";
import type { Settings } from "./config.js";
import { EVENTS_CHAT, notificationId, notifyServiceOf } from "./ids.js";
import type { HomeAssistantPart } from "./render.js";

const TITLE = "Hermes Agent";
const REPEAT = "(This may be a repeat.)";

interface Call {
  domain: string;
  service: string;
  body: object;
}

export class Sender {
  readonly #api: HomeAssistantApi;
  readonly #settings: Settings;

  constructor(api: HomeAssistantApi, settings: Settings) {
    this.#api = api;
    this.#settings = settings;
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    { text }: HomeAssistantPart,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const id = notificationId(this.#settings.oneNotification ? "" : nonce, index);
    const call = callOf(target, text, id, mayBeRepeat);
    if (!call)
      throw new SendError("refused", `Not a chat of Home Assistant: ${EVENTS_CHAT} or notify.<service>`);
    try {
      await this.#api.callService(call.domain, call.service, { body: call.body, signal });
    } catch (error) {
      throw sendErrorOf(error);
    }
    return [id];
  }
}

/** Phones replace a notification by its tag, other services don't know tags: there a repeat is marked. */
function callOf({ chatId }: Target, text: string, id: string, mayBeRepeat: boolean): Call | undefined {
  if (chatId === EVENTS_CHAT) {
    const body = { notification_id: id, title: TITLE, message: text };
    return { domain: "persistent_notification", service: "create", body };
  }
  const service = notifyServiceOf(chatId ?? "");
  const message = mayBeRepeat ? `${REPEAT}\n${text}` : text;
  return service === undefined
    ? undefined
    : { domain: "notify", service, body: { title: TITLE, message, data: { tag: id } } };
}
