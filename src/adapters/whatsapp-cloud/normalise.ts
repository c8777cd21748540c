/** The body of a webhook call → messages and statuses. Pure. */
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { PressedChoice } from "../../question.js";
import { readPress } from "../kit/buttons.js";
import { isMessageId, isWaId, PLATFORM } from "./ids.js";

export interface Incoming {
  message: InboundMessage;
  mediaId: string | undefined;
  /** The message that it replies to. */
  quotes: string | undefined;
}

export interface Status {
  id: string;
  status: string;
  /** Our own name of the part. */
  name: string | undefined;
  errorCode: number | undefined;
}

export interface Call {
  messages: Incoming[];
  statuses: Status[];
}

const MAX_ITEMS = 1000;
const MAX_CONTACTS = 10;
const MEDIA = ["image", "video", "audio", "voice", "document", "sticker"];

type Json = Record<string, unknown>;

/** Undefined if it isn't a call about WhatsApp. Calls about other numbers of the account have no messages. */
export function readCall(body: unknown, phoneNumberId: string): Call | undefined {
  const { object, entry } = objectOf(body);
  if (object !== "whatsapp_business_account") return undefined;
  const values = listOf(entry)
    .flatMap((one) => listOf(one.changes))
    .map(({ value }) => objectOf(value))
    .filter(({ metadata }) => objectOf(metadata).phone_number_id === phoneNumberId);
  return {
    messages: values.flatMap((value) =>
      listOf(value.messages).flatMap((message) => readMessage(message, value, phoneNumberId) ?? []),
    ),
    statuses: values.flatMap(({ statuses }) =>
      listOf(statuses).flatMap((status) => readStatus(status) ?? []),
    ),
  };
}

function readMessage(given: Json, value: Json, account: string): Incoming | undefined {
  const { id, from, timestamp, context, group_id } = given;
  if (!isMessageId(id) || !isWaId(from) || group_id !== undefined) return undefined;
  const content = contentOf(given);
  const sentAt = Number(timestamp);
  if (!content || !Number.isFinite(sentAt)) return undefined;
  const { id: quotes, from: quotedFrom } = objectOf(context);
  const message: InboundMessage = {
    platform: PLATFORM,
    account,
    eventId: id,
    origin: {
      platform: PLATFORM,
      chatType: "dm",
      chatId: from,
      userId: from,
      userName: nameOf(value, from),
      messageId: id,
    },
    text: content.text,
    attachments: content.attachment ? [content.attachment] : [],
    sentAt,
    mentioned: true,
    repliedToBot: quotedFrom !== undefined && quotedFrom !== from,
    threadWithBot: false,
    isBot: false,
    // WhatsApp proves the number; the operator decides whether it may talk.
    authenticated: false,
    ...(content.choice ? { choice: content.choice } : {}),
  };
  return { message, mediaId: content.mediaId, quotes: isMessageId(quotes) ? quotes : undefined };
}

interface Content {
  text: string;
  attachment?: Attachment;
  mediaId?: string;
  choice?: PressedChoice | undefined;
}

function contentOf(given: Json): Content | undefined {
  const type = textOf(given.type) ?? "";
  const part = objectOf(given[type]);
  if (type === "text") return present(textOf(part.body));
  if (type === "button") return present(textOf(part.text));
  if (type === "interactive") return pressOf(objectOf(part.button_reply ?? part.list_reply));
  if (type === "location") return { text: locationText(part) };
  if (type === "contacts") return { text: contactsText(listOf(given.contacts)) };
  const mediaId = textOf(part.id);
  if (!MEDIA.includes(type) || mediaId === undefined) return undefined;
  const mimeType = textOf(part.mime_type)?.split(";", 1)[0]?.trim().slice(0, 200);
  const name = displayName(textOf(part.filename) ?? "");
  const attachment: Attachment = {
    kind: mimeType ? kindOf(mimeType) : "file",
    ...(mimeType ? { mimeType } : {}),
    ...(name ? { name } : {}),
  };
  return { text: textOf(part.caption) ?? "", attachment, mediaId };
}

/** The description of a row is its whole label. */
function pressOf({ id, title, description }: Json): Content | undefined {
  const text = textOf(description) || textOf(title);
  return text ? { text, choice: readPress(id) } : undefined;
}

function locationText({ latitude, longitude, name, address }: Json): string {
  const where = [textOf(name), textOf(address)].filter(Boolean).join(", ");
  return `[Location: ${Number(latitude)}, ${Number(longitude)}${where === "" ? "" : ` (${where})`}]`;
}

function contactsText(contacts: readonly Json[]): string {
  const lines = contacts.slice(0, MAX_CONTACTS).map(({ name, phones }) => {
    const numbers = listOf(phones).map(({ phone }) => textOf(phone));
    return [textOf(objectOf(name).formatted_name), ...numbers].filter(Boolean).join(", ");
  });
  return `[Contact: ${lines.join("; ")}]`;
}

function present(text: string | undefined): Content | undefined {
  return text === undefined || text === "" ? undefined : { text };
}

function readStatus({ id, status, biz_opaque_callback_data: name, errors }: Json): Status | undefined {
  if (!isMessageId(id)) return undefined;
  const { code } = listOf(errors)[0] ?? {};
  return {
    id,
    status: textOf(status) ?? "",
    name: textOf(name)?.slice(0, 512),
    errorCode: typeof code === "number" ? code : undefined,
  };
}

function nameOf({ contacts }: Json, from: string): string | null {
  const contact = listOf(contacts).find(({ wa_id }) => wa_id === from);
  return textOf(objectOf(contact?.profile).name) || null;
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(objectOf) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
