/** An envelope → a message, an edit or a deletion for the gateway. Pure. */
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage, Origin } from "../../message.js";
import type { MessageEdit, MessageRef } from "../adapter.js";
import { isRecord } from "../kit/rest.js";
import { groupChatId, isGroupId, isNumber, isPersonId, isUuid, messageId } from "./ids.js";

export const PLATFORM = "signal";

export interface Self {
  number: string;
  uuid: string | null;
  account: string;
  /** Whether we have sent the message of this time. */
  isOurs(timestamp: number): boolean;
}

export interface SignalFile {
  /** Empty if signal-cli doesn't have it. */
  id: string;
  attachment: Attachment;
}

export type Normalised =
  | { kind: "message"; message: InboundMessage; files: SignalFile[] }
  | { kind: "edit"; edit: MessageEdit }
  | { kind: "delete"; ref: MessageRef };

type Fields = Readonly<Record<string, unknown>>;

/** Undefined if it is nothing for the gateway: receipts, typing, calls, stories, reactions, our own messages. */
export function normalise(event: unknown, self: Self): Normalised | undefined {
  const envelope = isRecord(event) && isRecord(event.envelope) ? event.envelope : undefined;
  const author = envelope && authorOf(envelope);
  const content = author && contentOf(envelope, author, self);
  const chat = content && chatOf(content.data, author);
  if (!chat) return undefined;
  const { data, edit } = content;
  const ref = (timestamp: number) => ({
    ...{ platform: PLATFORM, account: self.account, chatId: chat.chatId! },
    messageId: messageId(timestamp, author.id),
  });
  if (isRecord(data.remoteDelete) && typeof data.remoteDelete.timestamp === "number")
    return { kind: "delete", ref: ref(data.remoteDelete.timestamp) };
  const { text, mentioned, mentionsOthers } = textOf(data, self);
  if (edit) {
    const { targetSentTimestamp: target } = edit;
    return typeof target === "number" ? { kind: "edit", edit: { ...ref(target), text } } : undefined;
  }
  const { timestamp = envelope.timestamp } = data;
  const files = filesOf(data);
  if (typeof timestamp !== "number" || (text === "" && files.length === 0)) return undefined;
  const quote = quoteOf(data, self);
  const message: InboundMessage = {
    ...{ platform: PLATFORM, account: self.account, text },
    eventId: [author.uuid ?? author.id, timestamp, ...(chat.chatType === "dm" ? [] : [chat.chatId])].join(
      ":",
    ),
    origin: { ...chat, messageId: messageId(timestamp, author.id) },
    attachments: files.map(({ attachment }) => attachment),
    sentAt: timestamp / 1000,
    ...(quote ? { quoted: quote.quoted } : {}),
    ...{ mentioned, repliedToBot: quote?.ofBot ?? false, threadWithBot: false },
    ...(mentionsOthers ? { mentionsOthers } : {}),
    ...{ isBot: false, authenticated: false },
  };
  return { kind: "message", message, files };
}

// ── who and where ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Author {
  /** The number, or the uuid if the number is hidden. */
  id: string;
  number: string | null;
  uuid: string | null;
  name: string | null;
}

function authorOf({ sourceNumber, sourceUuid, source, sourceName }: Fields): Author | undefined {
  const id = [sourceNumber, sourceUuid, source].find(isPersonId);
  if (id === undefined) return undefined;
  return {
    id,
    number: isNumber(sourceNumber) ? sourceNumber : null,
    uuid: isUuid(sourceUuid) ? sourceUuid : null,
    name: typeof sourceName === "string" && sourceName !== "" ? sourceName : null,
  };
}

interface Content {
  data: Fields;
  edit?: Fields | undefined;
}

function contentOf(envelope: Fields, author: Author, self: Self): Content | undefined {
  const fields = isSelf(author, self) ? ownWords(envelope, self) : envelope;
  const edit = isRecord(fields?.editMessage) ? fields.editMessage : undefined;
  const data = edit?.dataMessage ?? fields?.dataMessage;
  return isRecord(data) ? { data, edit } : undefined;
}

/** What the account's owner wrote on another device, to themselves or in a group: elsewhere it isn't meant for the bot. */
function ownWords({ syncMessage }: Fields, self: Self): Fields | undefined {
  const sent =
    isRecord(syncMessage) && isRecord(syncMessage.sentMessage) ? syncMessage.sentMessage : undefined;
  if (!sent || (typeof sent.timestamp === "number" && self.isOurs(sent.timestamp))) return undefined;
  const edited = isRecord(sent.editMessage) ? sent.editMessage.dataMessage : undefined;
  const { groupInfo } = isRecord(edited) ? edited : sent;
  const to = { number: wordOf(sent.destinationNumber), uuid: wordOf(sent.destinationUuid) };
  return isRecord(groupInfo) || isSelf(to, self) ? { dataMessage: sent, ...sent } : undefined;
}

function isSelf({ number, uuid }: Pick<Author, "number" | "uuid">, self: Self): boolean {
  return number === self.number || (uuid !== null && uuid === self.uuid);
}

/** Undefined for a group whose id can't be read. */
function chatOf({ groupInfo }: Fields, { id, uuid, name }: Author): Origin | undefined {
  const person = { userId: id, userIdAlt: uuid, userName: name };
  if (!isRecord(groupInfo))
    return { platform: PLATFORM, chatType: "dm", chatId: id, chatName: name, threadId: null, ...person };
  const { groupId, groupName } = groupInfo;
  if (!isGroupId(groupId)) return undefined;
  return {
    ...{ platform: PLATFORM, chatType: "group", chatId: groupChatId(groupId), chatIdAlt: groupId },
    ...{ chatName: wordOf(groupName), threadId: null, ...person },
  };
}

// ── what ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The text has one character where a person is mentioned; the bot's own mention is removed. */
function textOf(data: Fields, self: Self) {
  let text = typeof data.message === "string" ? data.message : "";
  const mentions = (Array.isArray(data.mentions) ? data.mentions.filter(isRecord) : [])
    .filter(({ start, length }) => typeof start === "number" && typeof length === "number")
    .sort((a, b) => Number(b.start) - Number(a.start));
  let mentioned = false;
  for (const { start, length, number, uuid, name } of mentions) {
    const isOwn = isSelf({ number: wordOf(number), uuid: wordOf(uuid) }, self);
    mentioned ||= isOwn;
    const shown = isOwn ? "" : `@${wordOf(name) ?? wordOf(number) ?? wordOf(uuid) ?? ""}`;
    text = text.slice(0, Number(start)) + shown + text.slice(Number(start) + Number(length));
  }
  if (text.includes(self.number)) {
    mentioned = true;
    text = text.replaceAll(`@${self.number}`, "");
  }
  const mentionsOthers = mentions.length > 0 && !mentioned;
  return { text: mentioned ? text.trim() : text, mentioned, mentionsOthers };
}

function wordOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function quoteOf({ quote }: Fields, self: Self) {
  if (!isRecord(quote) || typeof quote.id !== "number") return undefined;
  const [number, uuid] = [wordOf(quote.authorNumber), wordOf(quote.authorUuid)];
  const [file] = filesOf(quote);
  const named = file ? `[${file.attachment.name ?? file.attachment.kind}]` : "";
  const quoted = {
    text: wordOf(quote.text) ?? named,
    messageId: messageId(quote.id, number ?? uuid ?? self.number),
  };
  return { quoted, ofBot: isSelf({ number, uuid }, self) };
}

function filesOf({ attachments }: Fields): SignalFile[] {
  const list = Array.isArray(attachments) ? attachments.filter(isRecord) : [];
  return list.map(({ id, contentType, filename, size }) => {
    const name = typeof filename === "string" ? displayName(filename) : "";
    const mimeType = wordOf(contentType);
    const attachment = {
      kind: kindOf(mimeType ?? undefined),
      ...(name === "" ? {} : { name }),
      ...(mimeType === null ? {} : { mimeType }),
      ...(typeof size === "number" ? { bytes: size } : {}),
    };
    return { id: wordOf(id) ?? "", attachment };
  });
}
