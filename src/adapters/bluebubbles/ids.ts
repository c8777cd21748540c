/** iMessage's ids and the gateway's. Only this file builds and parses them. */
import { createHmac } from "node:crypto";

export const PLATFORM = "bluebubbles";

/** Of a message, a chat or a file. */
export function isGuid(text: unknown): text is string {
  return typeof text === "string" && /^[^\s\p{Cc}]{1,300}$/u.test(text);
}

/** `iMessage;+;chat83…`: several people. A direct chat is `iMessage;-;+15551234567`. */
export function isGroupGuid(text: string): boolean {
  return text.includes(";+;");
}

/** The same person's chat begins with iMessage, SMS or any, as the service changes. */
export function addressIn(guid: string): string {
  return guid.split(";-;").at(-1)!;
}

/** A phone number or a mail address. Not a mail address that poses as a number: lists may omit what is behind the @. */
export function isAddress(text: unknown): text is string {
  return typeof text === "string" && /^[^\s;\p{Cc}]{1,200}$/u.test(text) && !/^\+\d[^@]*@/.test(text);
}

/** The server refuses a second send of the same name while the first is running. */
export function tempGuid(nonce: string, index: number): string {
  return `hermes-${nonce}-${index}`;
}

/** In the address of our webhook, because the server signs nothing. Not the password, which opens everything. */
export function webhookKey(password: string): string {
  return createHmac("sha256", password).update("hermes webhook").digest("hex");
}
