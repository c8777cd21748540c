import { redactEnds } from "../../src/secrets/shapes.js";

/** The whole text without secrets, however long it is. */
export function redactAll(text: string): string {
  const redacted = redactEnds(text, text.length, 0);
  if (typeof redacted !== "string") throw new Error("redactEnds cut a text that fits");
  return redacted;
}
