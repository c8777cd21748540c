/** A parsed mail → a message of ours, or why it is none. Pure. */
import type { Email } from "postal-mime";
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage } from "../../message.js";
import { automatic } from "./auto-mail.js";
import { htmlToText } from "./html-text.js";
import { addressOf, eventIdOf, isOwnMessageId, messageIdOf, messageIdsIn, PLATFORM } from "./ids.js";
import { ownWords } from "./quotes.js";
import { trustIn } from "./trust.js";

export interface MailReceipt {
  /** `uidvalidity:uid`. */
  name: string;
  /** When the server got it; epoch seconds. */
  receivedAt: number;
}

export interface Judge {
  address: string;
  authservId: string | null;
  trustFrom: boolean;
}

/** The headers of an answer to it. */
export interface Thread {
  subject: string;
  /** Oldest first, itself last. */
  references: readonly string[];
}

export type Normalised =
  | { kind: "message"; message: InboundMessage; thread: Thread; files: readonly MailFile[] }
  | { kind: "ignored"; reason: string };

export interface MailFile {
  attachment: Attachment;
  content: Uint8Array;
}

const MAX_FILES = 20;
const MAX_REFERENCES = 20;

export function normalise(email: Email, receipt: MailReceipt, judge: Judge): Normalised {
  const from = addressOf(email.from?.address);
  if (from === undefined) return { kind: "ignored", reason: "it has no sender" };
  const first = (name: string) => email.headers.find(({ key }) => key === name)?.value;
  const reason = automatic({ first }, from, judge.address) ?? distrust(email, from, judge);
  if (reason !== undefined) return { kind: "ignored", reason };
  const messageId = messageIdOf(email.messageId);
  const { text, quoted } = ownWords(email.text?.trim() ? email.text : htmlToText(email.html ?? ""));
  const files = filesOf(email);
  if (text === "" && files.length === 0) return { kind: "ignored", reason: "it is empty" };
  const answered = messageIdOf(email.inReplyTo) ?? null;
  const thread = threadOf(email, messageId);
  const message: InboundMessage = {
    platform: PLATFORM,
    account: judge.address,
    eventId: eventIdOf(from, messageId, receipt.name),
    origin: {
      platform: PLATFORM,
      chatType: "dm",
      chatId: from,
      userId: from,
      userName: email.from?.name?.trim() || null,
      messageId: messageId ?? receipt.name,
    },
    text: withSubject(text, thread.subject),
    attachments: files.map(({ attachment }) => attachment),
    sentAt: receipt.receivedAt,
    ...(quoted === undefined ? {} : { quoted: { text: quoted, messageId: answered } }),
    mentioned: true,
    repliedToBot: isOwnMessageId(answered ?? undefined),
    threadWithBot: false,
    isBot: false,
    // The server vouches for the domain; the operator decides whether the person may talk.
    authenticated: false,
  };
  return { kind: "message", message, thread, files };
}

function distrust(email: Email, from: string, { authservId, trustFrom }: Judge): string | undefined {
  if (trustFrom) return undefined;
  const results = email.headers
    .filter(({ key }) => key === "authentication-results")
    .map(({ value }) => value);
  const trust = trustIn(results, from, authservId);
  if (trust === "unchecked") return "our mail server didn't check its sender (Authentication-Results)";
  return trust === "passed" ? undefined : "its sender may be forged (SPF, DKIM or DMARC failed)";
}

/** Of one line, without the marks of answers. */
function threadOf(email: Email, messageId: string | undefined): Thread {
  const subject = (email.subject ?? "").replace(/\s+/g, " ").trim().slice(0, 500);
  const before = messageIdsIn(email.references);
  const answered = messageIdOf(email.inReplyTo);
  const known = before.length > 0 || answered === undefined ? before : [answered];
  const references = [...known, ...(messageId === undefined ? [] : [messageId])];
  // The first names the thread.
  const kept =
    references.length > MAX_REFERENCES
      ? [references[0]!, ...references.slice(1 - MAX_REFERENCES)]
      : references;
  return { subject, references: kept };
}

/** Commands stay commands, and an answer has the subject of what it answers. */
function withSubject(text: string, subject: string): string {
  if (subject === "" || text.startsWith("/") || isAnswer(subject)) return text;
  return `[Subject: ${subject}]\n${text}`;
}

export function isAnswer(subject: string): boolean {
  return /^(?:re|aw|sv|antw)(?:\[\d{1,3}\])?:/i.test(subject);
}

function filesOf({ attachments }: Email): MailFile[] {
  return attachments.slice(0, MAX_FILES).map(({ filename, mimeType, content }) => {
    const bytes = typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
    const name = filename ? displayName(filename) : "";
    return {
      attachment: { kind: kindOf(mimeType), mimeType, bytes: bytes.byteLength, ...(name ? { name } : {}) },
      content: bytes,
    };
  });
}
