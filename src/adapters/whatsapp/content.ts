/** WhatsApp's tree of a message → its text, its file, what it quotes and changes. Pure. */
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment } from "../../message.js";
import { isRecord } from "../kit/rest.js";
import { personOf } from "./ids.js";

type Tree = Readonly<Record<string, unknown>>;

export interface ReadContent {
  text: string;
  attachment: Attachment | undefined;
  quoted: { id: string; author: string | undefined; text: string } | undefined;
  /** People, without devices. */
  mentions: readonly string[];
}

/** Another message that this one edits or deletes. */
export interface Change {
  id: string;
  /** Undefined if it is deleted. */
  text: string | undefined;
}

const MAX_DEPTH = 8;
const MAX_TEXT = 70_000;
const MAX_MENTIONS = 1000;
const MAX_CARD_LINES = 200;
const MAX_NUMBER = 40;
const DELETED = 0;
const EDITED = 14;

/** Messages that disappear, can be seen once, or have a caption are wrapped; so are edits. */
function unwrapped(message: unknown, depth = 0): Tree {
  if (!isRecord(message)) return {};
  for (const part of Object.values(message))
    if (depth < MAX_DEPTH && isRecord(part) && isRecord(part.message))
      return unwrapped(part.message, depth + 1);
  return message;
}

/** Undefined: it changes nothing. */
export function readChange(message: unknown): Change | undefined {
  const { protocolMessage } = unwrapped(message);
  if (!isRecord(protocolMessage) || !isRecord(protocolMessage.key)) return undefined;
  const { key, type, editedMessage } = protocolMessage;
  const id = textIn(key, "id");
  if (id === "") return undefined;
  // Fields with their default value may be left out.
  if (type === DELETED || type === "REVOKE" || type == null) return { id, text: undefined };
  if (type !== EDITED && type !== "MESSAGE_EDIT") return undefined;
  const read = readContent(editedMessage);
  return read && { id, text: read.text };
}

/** Undefined: nothing that a person wrote. */
export function readContent(message: unknown): ReadContent | undefined {
  const tree = unwrapped(message);
  const found = textOf(tree);
  const attachment = attachmentOf(tree);
  if (found === undefined && attachment === undefined) return undefined;
  const context = contextOf(tree);
  const quotedId = textIn(context, "stanzaId");
  const mentioned = Array.isArray(context.mentionedJid) ? context.mentionedJid.slice(0, MAX_MENTIONS) : [];
  return {
    text: (found ?? "").slice(0, MAX_TEXT),
    attachment,
    quoted:
      quotedId === ""
        ? undefined
        : { id: quotedId, author: personOf(context.participant), text: quotedText(context.quotedMessage) },
    mentions: mentioned.flatMap((jid) => personOf(jid) ?? []),
  };
}

function quotedText(message: unknown): string {
  const tree = unwrapped(message);
  return (textOf(tree) ?? "").slice(0, MAX_TEXT);
}

// ── kinds ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const FILES: Readonly<Record<string, string | undefined>> = {
  imageMessage: undefined,
  videoMessage: undefined,
  ptvMessage: "video",
  audioMessage: "audio",
  documentMessage: undefined,
  stickerMessage: "image",
};

function attachmentOf(tree: Tree): Attachment | undefined {
  for (const [name, kind] of Object.entries(FILES)) {
    const file = tree[name];
    if (!isRecord(file)) continue;
    const mimeType = textIn(file, "mimetype").split(";", 1)[0]!.trim() || undefined;
    const shown = displayName(textIn(file, "fileName"));
    const bytes = numberOf(file.fileLength);
    return {
      kind: kind ?? kindOf(mimeType),
      ...(shown === "" ? {} : { name: shown }),
      ...(mimeType === undefined ? {} : { mimeType }),
      ...(bytes === undefined ? {} : { bytes }),
    };
  }
  return undefined;
}

/** How each kind of message reads as text. */
const TEXTS: Readonly<Record<string, (part: Tree) => string>> = {
  extendedTextMessage: (part) => textIn(part, "text"),
  imageMessage: (part) => textIn(part, "caption"),
  videoMessage: (part) => textIn(part, "caption"),
  documentMessage: (part) => textIn(part, "caption"),
  buttonsResponseMessage: (part) => textIn(part, "selectedDisplayText"),
  templateButtonReplyMessage: (part) => textIn(part, "selectedDisplayText"),
  listResponseMessage: (part) => textIn(part, "title"),
  locationMessage: placeText,
  liveLocationMessage: placeText,
  contactMessage: contactText,
  contactsArrayMessage: (part) =>
    (Array.isArray(part.contacts) ? part.contacts : []).filter(isRecord).map(contactText).join("\n"),
  pollCreationMessage: pollText,
  pollCreationMessageV2: pollText,
  pollCreationMessageV3: pollText,
};

function textOf(tree: Tree): string | undefined {
  if (typeof tree.conversation === "string" && tree.conversation !== "") return tree.conversation;
  for (const [name, read] of Object.entries(TEXTS)) {
    const part = tree[name];
    const text = isRecord(part) ? read(part) : "";
    if (text !== "") return text;
  }
  return undefined;
}

function placeText(part: Tree): string {
  const { degreesLatitude: latitude, degreesLongitude: longitude } = part;
  if (typeof latitude !== "number" || typeof longitude !== "number") return "";
  const about = [textIn(part, "name"), textIn(part, "address")].filter((text) => text !== "").join(", ");
  return `Location: ${latitude}, ${longitude}${about === "" ? "" : ` (${about})`}`;
}

function contactText(part: Tree): string {
  const lines = textIn(part, "vcard").split("\n", MAX_CARD_LINES);
  const numbers = lines
    .filter((line) => line.startsWith("TEL"))
    .map((line) => line.slice(line.indexOf(":") + 1, line.indexOf(":") + MAX_NUMBER).trim());
  const who = [textIn(part, "displayName"), ...numbers].filter((text) => text !== "").join(", ");
  return who === "" ? "" : `Contact: ${who}`;
}

function pollText(part: Tree): string {
  const options = (Array.isArray(part.options) ? part.options : []).filter(isRecord);
  const lines = options.map((option) => `- ${textIn(option, "optionName")}`);
  return [`Poll: ${textIn(part, "name")}`, ...lines].join("\n");
}

function contextOf(tree: Tree): Tree {
  for (const part of Object.values(tree))
    if (isRecord(part) && isRecord(part.contextInfo)) return part.contextInfo;
  return {};
}

function textIn(part: Tree, name: string): string {
  const value = part[name];
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}

/** WhatsApp's long numbers are objects that know their digits. */
export function numberOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return undefined;
  const digits = String(value);
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
