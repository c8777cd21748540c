/** WhatsApp's ids. A chat is the other person's number, digits only; only this adapter parses them. */

export const PLATFORM = "whatsapp_cloud";

export function isWaId(text: unknown): text is string {
  return typeof text === "string" && /^\d{5,20}$/.test(text);
}

export function isMessageId(text: unknown): text is string {
  return typeof text === "string" && /^wamid\.[\w+/=-]{1,300}$/.test(text);
}

/** Comes back with each status of the message. The same for every attempt. */
export function partName(nonce: string, index: number): string {
  return `${nonce}.${index}`;
}
