/** A posted message → `InboundMessage`, or what is wrong with it. Pure. */
import type { InboundMessage } from "../../message.js";
import { MAX_MESSAGE_CHARS } from "../../text-limits.js";

export const PLATFORM = "web";
export const ACCOUNT = "web";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type Normalised = { message: InboundMessage } | { fault: string };

/** The page makes the id once per message, so a resent message is the same event. */
export function normalise(body: unknown, chatId: string, now: number): Normalised {
  const { id, text } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (typeof id !== "string" || !UUID.test(id)) return { fault: "A message needs an id: a UUID" };
  if (typeof text !== "string" || text.trim() === "") return { fault: "A message needs a text" };
  if (text.length > MAX_MESSAGE_CHARS)
    return { fault: `A message may have ${MAX_MESSAGE_CHARS} characters at most` };
  const eventId = id.toLowerCase();
  return {
    message: {
      platform: PLATFORM,
      account: ACCOUNT,
      eventId,
      origin: {
        platform: PLATFORM,
        chatType: "dm",
        chatId,
        userId: chatId,
        userName: "You",
        messageId: eventId,
      },
      text: text.trim(),
      attachments: [],
      sentAt: now,
      mentioned: false,
      repliedToBot: false,
      threadWithBot: false,
      isBot: false,
      authenticated: true,
    },
  };
}
