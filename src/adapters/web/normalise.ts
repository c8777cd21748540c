/** A posted message → `InboundMessage`, or what is wrong with it. Pure. */
import type { InboundMessage } from "../../message.js";
import { shortLabel } from "../../text/choices.js";
import { MAX_MESSAGE_CHARS } from "../../text-limits.js";
import { readPress } from "../kit/buttons.js";
import { LABEL_CHARS } from "./questions.js";

export const PLATFORM = "web";
export const ACCOUNT = "web";
/** The conversation that is the chat without a thread. */
export const MAIN = "main";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type Normalised = { message: InboundMessage } | { fault: string };

/** The page makes the id once per message, so a resent message is the same event. */
export function normalise(body: unknown, chatId: string, now: number): Normalised {
  const { id, text } = fieldsOf(body);
  if (!isUuid(id)) return { fault: "A message needs an id: a UUID" };
  if (typeof text !== "string" || text.trim() === "") return { fault: "A message needs a text" };
  if (text.length > MAX_MESSAGE_CHARS)
    return { fault: `A message may have ${MAX_MESSAGE_CHARS} characters at most` };
  return { message: messageOf(id, text.trim(), chatId, now) };
}

/** A pressed button, with the data and the text that it has in the log. */
export function normalisePress(body: unknown, chatId: string, now: number): Normalised {
  const { id, button, text } = fieldsOf(body);
  if (!isUuid(id)) return { fault: "A press needs an id: a UUID" };
  const choice = readPress(button);
  if (!choice) return { fault: "There is no such button" };
  const label = typeof text === "string" ? shortLabel(text, LABEL_CHARS) : "";
  return { message: { ...messageOf(id, label || choice.choiceId, chatId, now), choice } };
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
}

function isUuid(id: unknown): id is string {
  return typeof id === "string" && UUID.test(id);
}

function messageOf(id: string, text: string, chatId: string, now: number): InboundMessage {
  const eventId = id.toLowerCase();
  return {
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
    text,
    attachments: [],
    sentAt: now,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
  };
}
