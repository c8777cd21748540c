/** The choices of a question → Mattermost's buttons, and the press of one → the message that answers it. Pure. */
import { createHmac } from "node:crypto";
import type { InboundMessage, Target } from "../../message.js";
import type { OutboundQuestion } from "../../question.js";
import { isSameSecret } from "../../secret.js";
import { type Button, buttonsOf, readPress } from "../kit/buttons.js";
import { isRecord } from "../kit/rest.js";
import { isId, isTrigger } from "./ids.js";
import { PLATFORM } from "./normalise.js";

export const MAX_CHOICES = 20;
const LABEL_CHARS = 80;

export function choicesOf(question: OutboundQuestion): Button[] {
  return buttonsOf(question, { maxChoices: MAX_CHOICES, labelChars: LABEL_CHARS });
}

/** The server keeps it, shows it to no person, and sends it back with a press. */
interface Context {
  press: string;
  label: string;
  chat_type: string;
  thread: string | null;
  /** Proves that we made the button: the server doesn't sign its calls. */
  secret: string;
}

/** In the props of a post. */
export function attachmentsOf(
  buttons: readonly Button[],
  target: Target,
  { url, key }: { url: string; key: string },
) {
  const actions = buttons.map(({ data, label, style }, i) => {
    const about = { press: data, label, chat_type: target.chatType, thread: target.threadId };
    const context: Context = { ...about, secret: secretOf(about, target.chatId ?? "", key) };
    // Mattermost ignores presses of buttons whose ids have other characters.
    return {
      ...{ id: `choice${i}`, type: "button", name: label, style: style ?? "default" },
      integration: { url, context },
    };
  });
  return [{ actions }];
}

/** Of one choice, in one channel. */
function secretOf(about: Omit<Context, "secret">, channelId: string, key: string): string {
  const { press, label, chat_type: type, thread } = about;
  const signed = JSON.stringify(["press", channelId, type, thread, press, label]);
  return createHmac("sha256", key).update(signed).digest("hex");
}

/** Undefined: not a press of one of our buttons. */
export function readPressCall(
  body: unknown,
  { key, account, nowSeconds }: { key: string; account: string; nowSeconds: number },
): InboundMessage | undefined {
  if (!isRecord(body) || !isRecord(body.context)) return undefined;
  const { user_id: userId, channel_id: chatId, post_id: postId, trigger_id: trigger } = body;
  const { press, label, chat_type: chatType, thread, secret } = body.context;
  if (!isId(userId) || !isId(chatId) || !isId(postId) || !isTrigger(trigger)) return undefined;
  if (typeof press !== "string" || typeof label !== "string" || typeof chatType !== "string")
    return undefined;
  if (typeof secret !== "string" || (thread !== null && !isId(thread))) return undefined;
  const about = { press, label, chat_type: chatType, thread };
  const choice = readPress(press);
  if (!choice || !isSameSecret(secret, secretOf(about, chatId, key))) return undefined;
  return {
    platform: PLATFORM,
    account,
    // The same for a call that is replayed.
    eventId: `press:${trigger}`,
    origin: {
      platform: PLATFORM,
      ...{ chatType, chatId, threadId: thread, userId, messageId: postId },
      userName: typeof body.user_name === "string" && body.user_name !== "" ? body.user_name : null,
    },
    text: label,
    attachments: [],
    sentAt: nowSeconds,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: true,
    isBot: false,
    authenticated: false,
    choice,
  };
}
