/** A message of WhatsApp → a message, an edit or a deletion for the gateway. Pure. */
import type { InboundMessage } from "../../message.js";
import type { MessageEdit, MessageRef } from "../adapter.js";
import { numberOf, type ReadContent, readChange, readContent } from "./content.js";
import { isGroup, isNumberOf, isOwnMessageId, messageName, PLATFORM, personOf, userOf } from "./ids.js";
import type { Self, WaKey, WaMessage } from "./port.js";

export interface NormaliseContext {
  account: string;
  self: Self;
  /** Listen to the owner's notes to themself, or to what others write. */
  mode: "self-chat" | "bot";
  nowSeconds: number;
}

export type Happening =
  | { kind: "said"; message: InboundMessage; group: string | undefined; hasFile: boolean }
  | { kind: "changed"; edit: MessageEdit }
  | { kind: "removed"; ref: MessageRef };

/** A chat and a person, each under the id that stays: the number where it is known. */
interface Address {
  chatId: string;
  group: string | undefined;
  userId: string;
  userIdAlt: string | undefined;
  /** In groups: the author as the group knows them. */
  author: string | undefined;
}

/** Undefined if it is not for the gateway. */
export function normalise(message: WaMessage, context: NormaliseContext): Happening | undefined {
  const { key } = message;
  const id = key.id;
  if (typeof id !== "string" || id === "" || id.length > 200 || (key.fromMe && isOwnMessageId(id)))
    return undefined;
  const address = addressOf(key, context.self);
  if (!address || !isWanted(key, address, context)) return undefined;
  const change = readChange(message.message);
  if (change) {
    const { chatId, author } = address;
    // Only the author's own: the name of a message in a group contains them.
    const ref = {
      ...{ platform: PLATFORM, account: context.account, chatId },
      messageId: messageName(change.id, author),
    };
    return change.text === undefined
      ? { kind: "removed", ref }
      : { kind: "changed", edit: { ...ref, text: withoutOwnName(change.text, context.self) } };
  }
  const content = readContent(message.message);
  return content && said(message, id, { address, content, context });
}

/** Undefined: a channel, a status or a broadcast. */
function addressOf(key: WaKey, self: Self): Address | undefined {
  const { remoteJid } = key;
  if (isGroup(remoteJid)) {
    const author = personOf(key.participant) ?? (key.fromMe ? self.number : undefined);
    if (author === undefined) return undefined;
    return { chatId: remoteJid, group: remoteJid, author, ...person(author, personOf(key.participantAlt)) };
  }
  const peer = personOf(remoteJid);
  if (peer === undefined) return undefined;
  const known = person(isSelf(peer, self) ? self.number : peer, personOf(key.remoteJidAlt));
  return { chatId: known.userId, group: undefined, author: undefined, ...known };
}

/** The number first; the other id is an alias for access lists. */
function person(one: string, other: string | undefined): Pick<Address, "userId" | "userIdAlt"> {
  if (other === undefined || other === one) return { userId: one, userIdAlt: undefined };
  return isNumberOf(one) || !isNumberOf(other)
    ? { userId: one, userIdAlt: other }
    : { userId: other, userIdAlt: one };
}

function isSelf(jid: string | undefined, { number, lid }: Self): boolean {
  return jid !== undefined && (jid === number || jid === lid);
}

function isWanted(
  { fromMe, remoteJid }: WaKey,
  { group }: Address,
  { mode, self }: NormaliseContext,
): boolean {
  if (mode === "bot") return !fromMe;
  return fromMe === true && group === undefined && isSelf(personOf(remoteJid), self);
}

function said(
  { messageTimestamp, pushName, key }: WaMessage,
  id: string,
  parts: { address: Address; content: ReadContent; context: NormaliseContext },
): Happening {
  const { address, content, context } = parts;
  const { chatId, group, author, userId, userIdAlt } = address;
  const { self, account } = context;
  const { quoted, mentions, attachment } = content;
  const mentioned = mentions.some((jid) => isSelf(jid, self)) || hasOwnName(content.text, self);
  const message: InboundMessage = {
    platform: PLATFORM,
    account,
    eventId: `${key.remoteJid}/${messageName(id, author)}`,
    origin: {
      platform: PLATFORM,
      chatType: group === undefined ? "dm" : "group",
      chatId,
      userId,
      ...(userIdAlt === undefined ? {} : { userIdAlt }),
      userName: pushName || null,
      messageId: messageName(id, author),
    },
    text: withoutOwnName(content.text, self),
    attachments: attachment ? [attachment] : [],
    sentAt: numberOf(messageTimestamp) ?? context.nowSeconds,
    ...(quoted?.text
      ? {
          quoted: {
            text: quoted.text,
            messageId: messageName(quoted.id, group === undefined ? undefined : quoted.author),
          },
        }
      : {}),
    mentioned,
    repliedToBot: isSelf(quoted?.author, self),
    threadWithBot: false,
    ...(group !== undefined && mentions.length > 0 && !mentioned ? { mentionsOthers: true } : {}),
    isBot: false,
    // A note to oneself comes from the account's owner: WhatsApp let this device in to the account.
    authenticated: key.fromMe === true,
  };
  return { kind: "said", message, group, hasFile: attachment !== undefined };
}

// ── our name in a text ──────────────────────────────────────────────────────────────────────────────────────────────

function ownNames({ number, lid }: Self): string[] {
  return [number, lid].flatMap((jid) => (jid === undefined ? [] : [`@${userOf(jid)}`]));
}

function hasOwnName(text: string, self: Self): boolean {
  return ownNames(self).some((name) => findName(text, name) !== -1);
}

function withoutOwnName(text: string, self: Self): string {
  let rest = text;
  for (const name of ownNames(self))
    for (let at = findName(rest, name); at !== -1; at = findName(rest, name))
      rest = `${rest.slice(0, at)}${rest.slice(at + name.length)}`.trim();
  return rest;
}

/** Not as the beginning of a longer number. */
function findName(text: string, name: string): number {
  let at = text.indexOf(name);
  while (at !== -1 && /\d/.test(text[at + name.length] ?? "")) at = text.indexOf(name, at + name.length);
  return at;
}
