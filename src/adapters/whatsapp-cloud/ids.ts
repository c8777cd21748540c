/** WhatsApp's ids. A chat is the other person's number, digits only; only this adapter parses them. */

export const PLATFORM = "whatsapp_cloud";

export function isWaId(text: unknown): text is string {
  return typeof text === "string" && /^\d{5,20}$/.test(text);
}

/** A number as people write it: `+1 (555) 123-4567`. Anything else stays as it is. */
export function waIdOf(text: string): string {
  const digits = text.replace(/[\s()+./-]/g, "");
  return isWaId(digits) ? digits : text;
}

export function isMessageId(text: unknown): text is string {
  return typeof text === "string" && /^wamid\.[\w+/=-]{1,300}$/.test(text);
}

/** Comes back with each status of the message. The same for every attempt. */
export function partName(nonce: string, index: number): string {
  return `${nonce}.${index}`;
}
