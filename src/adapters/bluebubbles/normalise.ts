/** A message of the Mac's database → a message, an edit or a deletion for the gateway. Pure. */
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { MessageEdit, MessageRef } from "../adapter.js";
import { isRecord } from "../kit/rest.js";
import { addressIn, isAddress, isGroupGuid, isGuid, PLATFORM } from "./ids.js";

export interface Chat {
  guid: string;
  /** For the gateway: the address of a person, or the GUID of a group. */
  id: string;
  isGroup: boolean;
  name: string | null;
}

export interface File {
  guid: string;
  attachment: Attachment;
}

/** The fields of a message that are read here. */
export interface Message {
  guid: string;
  /** Its number in the Mac's database: grows with each message that comes in. */
  row: number;
  chat: Chat;
  text: string;
  /** Null if the server doesn't know. */
  sender: string | null;
  isFromMe: boolean;
  /** Neither a tapback nor a line about the chat. */
  isText: boolean;
  files: readonly File[];
  createdAtMs: number;
  editedAtMs: number;
  retractedAtMs: number;
  /** The first message of the thread that it is in. */
  threadGuid: string | null;
}

/** In the text, in place of a file. */
const PLACEHOLDER = /\ufffc/g;
const MAX_FILES = 20;

/** Undefined if it isn't a message that we understand. */
export function readMessage(value: unknown): Message | undefined {
  if (!isRecord(value)) return undefined;
  const { guid, originalROWID: row, dateCreated, handle, chats, threadOriginatorGuid: thread } = value;
  if (!isGuid(guid) || typeof dateCreated !== "number") return undefined;
  const sender = isRecord(handle) && isAddress(handle.address) ? handle.address : null;
  const chat = readChat(Array.isArray(chats) ? chats[0] : undefined, sender);
  if (!chat) return undefined;
  return {
    guid,
    row: typeof row === "number" ? row : 0,
    chat,
    text: (typeof value.text === "string" ? value.text : "").replace(PLACEHOLDER, "").trim(),
    sender,
    isFromMe: value.isFromMe === true,
    isText: !value.itemType && !value.associatedMessageType,
    files: filesOf(value.attachments),
    createdAtMs: dateCreated,
    editedAtMs: timeOf(value.dateEdited),
    retractedAtMs: timeOf(value.dateRetracted),
    threadGuid: isGuid(thread) ? thread : null,
  };
}

function timeOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function readChat(value: unknown, sender: string | null = null): Chat | undefined {
  if (!isRecord(value) || !isGuid(value.guid)) return undefined;
  const { guid, chatIdentifier, displayName: name, style } = value;
  const isGroup = isGroupGuid(guid) || style === 43;
  const shown = typeof name === "string" && name !== "" ? name : null;
  if (isGroup) return { guid, id: guid, isGroup, name: shown };
  const id = [chatIdentifier, sender, addressIn(guid)].find(isAddress);
  return id === undefined ? undefined : { guid, id, isGroup, name: null };
}

function filesOf(value: unknown): File[] {
  return (Array.isArray(value) ? value.filter(isRecord) : [])
    .slice(0, MAX_FILES)
    .flatMap(({ guid, transferName, mimeType, totalBytes, hideAttachment }) => {
      const name = typeof transferName === "string" ? displayName(transferName) : "";
      // The picture of a link preview, for example.
      const isHidden = hideAttachment === true || name.endsWith(".pluginPayloadAttachment");
      if (!isGuid(guid) || isHidden) return [];
      const type = typeof mimeType === "string" && mimeType !== "" ? mimeType.slice(0, 200) : undefined;
      const attachment = {
        kind: kindOf(type),
        ...(name === "" ? {} : { name }),
        ...(type === undefined ? {} : { mimeType: type }),
        ...(typeof totalBytes === "number" ? { bytes: totalBytes } : {}),
      };
      return [{ guid, attachment }];
    });
}

export function isForGateway({ isFromMe, isText, sender, text, files, retractedAtMs }: Message): boolean {
  if (isFromMe || !isText || sender === null || retractedAtMs > 0) return false;
  return text !== "" || files.length > 0;
}

/** iMessage has no mentions of a bot: in groups it is called by its name. */
const NAME = /(?<!\w)@?hermes(?!\w)/i;
const CALL = /^@?hermes(?: agent)?(?:\s{0,5}[,:!]\s{0,5}|\s{1,5})(?=\S)/i;

export interface MessageContext {
  account: string;
  userName: string | null;
  /** The message that it replies to, if there is one and the server knows it. */
  quoted?: Message | undefined;
}

export function inboundOf(message: Message, { account, userName, quoted }: MessageContext): InboundMessage {
  const { guid, chat, sender, files, createdAtMs, editedAtMs } = message;
  return {
    platform: PLATFORM,
    account,
    eventId: guid,
    origin: {
      platform: PLATFORM,
      chatType: chat.isGroup ? "group" : "dm",
      chatId: chat.id,
      chatName: chat.name,
      chatIdAlt: chat.guid,
      userId: sender,
      userName,
      messageId: guid,
    },
    text: textOf(message),
    attachments: files.map(({ attachment }) => attachment),
    sentAt: createdAtMs / 1000,
    ...(quoted ? { quoted: { text: quoted.text, messageId: quoted.guid } } : {}),
    mentioned: !chat.isGroup || NAME.test(message.text),
    repliedToBot: quoted?.isFromMe ?? false,
    threadWithBot: false,
    isBot: false,
    // iMessage proves the address; the operator decides whether it may talk.
    authenticated: false,
    ...(editedAtMs > 0 ? { edited: true } : {}),
  };
}

/** In a group without the name by which the bot is called, so that commands begin with their slash. */
function textOf({ chat, text }: Message): string {
  return chat.isGroup ? text.replace(CALL, "") : text;
}

export function editOf(message: Message, account: string): MessageEdit {
  return { ...refOf(message, account), text: textOf(message) };
}

export function refOf({ chat, guid }: Message, account: string): MessageRef {
  return { platform: PLATFORM, account, chatId: chat.id, messageId: guid };
}
