/** Twilio's ids and the gateway's. A chat is the other person's number; only this adapter parses them. */

export const PLATFORM = "sms";

/** `+15551234567`, or a short code. Names of senders (`MyBank`) can't be answered. */
const NUMBER = /^\+?\d{3,15}$/;

export function isNumber(text: string | null | undefined): text is string {
  return typeof text === "string" && NUMBER.test(text);
}

/** Texts are SM…, texts with media MM…. */
export function isMessageSid(text: unknown): text is string {
  return typeof text === "string" && /^[SM]M[0-9a-zA-Z]{1,64}$/.test(text);
}

/** The name of one part of an answer, for status callbacks. The same for every attempt. */
export function partName(nonce: string, index: number): string {
  return `${nonce}.${index}`;
}
