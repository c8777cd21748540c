/** A message of Twilio's, from its webhook or its list → a message of ours. Pure. */
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { TwilioMessage } from "./api.js";
import { isMessageSid, isNumber, PLATFORM } from "./ids.js";

/** Our side. */
export interface Self {
  accountSid: string;
  phoneNumber: string;
  messagingServiceSid: string | null;
}

export interface Incoming {
  sid: string;
  message: InboundMessage;
  /** How many files come with it. */
  files: number;
  /** Where they are, if the webhook said so. */
  media: readonly { url: string; contentType: string | undefined }[];
}

const MAX_MEDIA = 10;

/** A call of the webhook. Undefined if it isn't a message to us. */
export function readCall(form: URLSearchParams, self: Self, now: number): Incoming | undefined {
  const field = (name: string) => form.get(name) ?? undefined;
  if (field("AccountSid") !== self.accountSid) return undefined;
  const isOurs =
    field("To") === self.phoneNumber ||
    (self.messagingServiceSid !== null && field("MessagingServiceSid") === self.messagingServiceSid);
  if (!isOurs) return undefined;
  const files = countOf(field("NumMedia"));
  const media = Array.from({ length: files }, (_, i) => ({
    url: field(`MediaUrl${i}`) ?? "",
    contentType: field(`MediaContentType${i}`),
  }));
  return incoming(
    { sid: field("MessageSid"), from: field("From"), body: field("Body"), files, sentAt: now },
    media,
    self,
  );
}

/** An entry of the list. Undefined if it isn't a message to us. */
export function readListed(listed: TwilioMessage, self: Self): Incoming | undefined {
  const { sid, direction, from, to, body, num_media } = listed;
  if (direction !== "inbound" || to !== self.phoneNumber) return undefined;
  const sentAt = createdAt(listed);
  if (sentAt === undefined) return undefined;
  const files = countOf(num_media);
  return incoming({ sid, from, body, files, sentAt }, [], self);
}

/** Epoch seconds; undefined if there is no readable time. */
export function createdAt({ date_created: date }: TwilioMessage): number | undefined {
  const ms = typeof date === "string" ? Date.parse(date.slice(0, 64)) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

interface Fields {
  sid: unknown;
  from: unknown;
  body: unknown;
  files: number;
  sentAt: number;
}

function incoming(fields: Fields, media: Incoming["media"], self: Self): Incoming | undefined {
  const { sid, from, body, files, sentAt } = fields;
  const isPerson = typeof from === "string" && isNumber(from) && from !== self.phoneNumber;
  if (!isMessageSid(sid) || !isPerson) return undefined;
  const text = typeof body === "string" ? body : "";
  if (text === "" && files === 0) return undefined;
  return { sid, files, media, message: messageOf({ sid, from, text, sentAt }, self) };
}

function messageOf(
  { sid, from, text, sentAt }: { sid: string; from: string; text: string; sentAt: number },
  { phoneNumber }: Self,
): InboundMessage {
  return {
    platform: PLATFORM,
    account: phoneNumber,
    eventId: sid,
    origin: { platform: PLATFORM, chatType: "dm", chatId: from, userId: from, messageId: sid },
    text,
    attachments: [],
    sentAt,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    // The number may be forged; the operator decides whether it may talk.
    authenticated: false,
  };
}

function countOf(value: unknown): number {
  const count = typeof value === "string" || typeof value === "number" ? Number(value) : 0;
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_MEDIA) : 0;
}

export function attachmentOf(contentType: string | undefined): Attachment {
  const mimeType = contentType?.slice(0, 200);
  return mimeType ? { kind: kindOf(mimeType), mimeType } : { kind: "file" };
}
