/** Addresses and Message-IDs. A chat is the other person's address in lower case; only this adapter parses them. */
import { createHash } from "node:crypto";

export const PLATFORM = "email";

const ADDRESS = /^[^\s@<>"',;:()]{1,128}@[^\s@<>"',;:()]{1,255}$/;

export function addressOf(text: unknown): string | undefined {
  const address = typeof text === "string" ? text.trim().toLowerCase() : "";
  return ADDRESS.test(address) ? address : undefined;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

const MAX_ID = 250;

/** `<a@b>`; undefined if there is none that can be used in a header. */
export function messageIdOf(text: unknown): string | undefined {
  const id = typeof text === "string" ? text.trim() : "";
  return id.length <= MAX_ID && /^<[\x21-\x3b\x3d\x3f-\x7e]{1,248}>$/.test(id) ? id : undefined;
}

/** All ids in a References header, oldest first. */
export function messageIdsIn(text: string | undefined): string[] {
  return (text ?? "")
    .slice(0, 20_000)
    .split(/\s+/)
    .flatMap((word) => messageIdOf(word) ?? []);
}

/** A sender can use the id of another's mail, so the sender belongs to the event's id. */
export function eventIdOf(from: string, messageId: string | undefined, receiptName: string): string {
  const name = messageId ?? receiptName;
  return `${from}/${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
}

/** Of our own mails: the same for every attempt. */
export function ownMessageId(nonce: string, index: number, account: string): string {
  const hash = createHash("sha256").update(`${account}\n${nonce}\n${index}`).digest("hex").slice(0, 32);
  return `<hermes-${hash}@${domainOf(account)}>`;
}

export function isOwnMessageId(id: string | undefined): boolean {
  return /^<hermes-[0-9a-f]{32}@/.test(id ?? "");
}
