/** WhatsApp's ids and ours. Only this file builds and parses them. */
import { createHash } from "node:crypto";

export const PLATFORM = "whatsapp";

const NUMBER_SERVER = "s.whatsapp.net";
/** A number or a linked id (lid), perhaps of one device of the person: `15551234567:12@s.whatsapp.net`. */
const PERSON = /^(\d{1,32})(?:[_:]\d{1,5}){0,2}@(s\.whatsapp\.net|c\.us|lid)$/;
const GROUP = /^\d{1,32}(?:-\d{1,32})?@g\.us$/;
const BARE = /^\+?(\d{5,32})$/;
/** Longer numbers are ids of groups. */
const MAX_NUMBER_DIGITS = 15;

/** Without the device; undefined if it isn't a person. */
export function personOf(jid: unknown): string | undefined {
  const [, user, server] = (typeof jid === "string" && PERSON.exec(jid)) || [];
  if (user === undefined) return undefined;
  return `${user}@${server === "lid" ? "lid" : NUMBER_SERVER}`;
}

export function isGroup(jid: unknown): jid is string {
  return typeof jid === "string" && GROUP.test(jid);
}

export function isNumberOf(jid: string): boolean {
  return jid.endsWith(`@${NUMBER_SERVER}`);
}

/** The digits of a number or a lid. */
export function userOf(jid: string): string {
  return jid.split("@", 1)[0]!;
}

/** A chat that messages can be sent to; people may write a bare number. */
export function chatOf(text: string | null): string | undefined {
  const chat = text ?? "";
  if (isGroup(chat)) return chat;
  const [, digits] = BARE.exec(chat) ?? [];
  if (digits === undefined) return personOf(chat);
  return digits.length > MAX_NUMBER_DIGITS ? `${digits}@g.us` : `${digits}@${NUMBER_SERVER}`;
}

/** An entry of an access list as our ids have it: without the plus and blanks of a number. */
export function listed(entry: string): string {
  return /^\+[\d ()-]{5,40}$/.test(entry) ? entry.replace(/\D/g, "") : entry;
}

// ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In a group an id is unique for one author only, and quotes and reactions name the author too. */
export function messageName(id: string, author: string | undefined): string {
  return author === undefined ? id : `${id}/${author}`;
}

export function readMessageName(name: string): { id: string; author?: string } {
  const [id = "", author] = name.split("/", 2);
  return author === undefined ? { id } : { id, author };
}

/** The same for every attempt. It looks like the ids of other clients, and tells that it is ours. */
export function ownMessageId(nonce: string, index: number): string {
  const body = hex(`${nonce}:${index}`, 10);
  return `3EB0${body}${hex(body, 8)}`;
}

export function isOwnMessageId(id: string): boolean {
  const [, body, check] = /^3EB0([0-9A-F]{10})([0-9A-F]{8})$/.exec(id) ?? [];
  return body !== undefined && hex(body, 8) === check;
}

function hex(text: string, digits: number): string {
  return createHash("sha256").update(`hermes:${text}`).digest("hex").toUpperCase().slice(0, digits);
}
