/** A pressed button → the message that answers the question. Pure. */
import type { CallbackQuery, InlineKeyboardButton } from "grammy/types";
import type { InboundMessage } from "../../message.js";
import { readPress } from "../kit/buttons.js";
import { pressEventId } from "./ids.js";
import { nameOf, originOf, PLATFORM, type Self } from "./normalise.js";

/** Undefined: not a button of ours, or below a message that was sent through another chat's inline mode. */
export function normalisePress(query: CallbackQuery, self: Self, now: number): InboundMessage | undefined {
  const { id, from, message, data } = query;
  const choice = readPress(data);
  if (!message || !choice) return undefined;
  return {
    platform: PLATFORM,
    account: String(self.id),
    eventId: pressEventId(id),
    // The message is the bot's; the person is the one who pressed.
    origin: { ...originOf(message), userId: String(from.id), userName: nameOf(from) },
    text: labelOf(query) ?? choice.choiceId,
    attachments: [],
    // Telegram doesn't say when.
    sentAt: now,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: from.is_bot,
    authenticated: false,
    choice,
  };
}

/** Telegram leaves out the content of old messages. */
function labelOf({ message, data }: CallbackQuery): string | undefined {
  const rows = (message as { reply_markup?: { inline_keyboard: InlineKeyboardButton[][] } }).reply_markup;
  const buttons = rows?.inline_keyboard.flat() ?? [];
  return buttons.find((button) => "callback_data" in button && button.callback_data === data)?.text;
}
