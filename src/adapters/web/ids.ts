/** The browser's secret (a cookie) and the id that is made from it (everywhere else). */
import { createHash, randomBytes } from "node:crypto";

/** 128 random bits. */
export function newSecret(): string {
  return randomBytes(16).toString("hex");
}

export function isSecret(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{32}$/.test(text);
}

/** Ids appear in logs, session keys and transcripts, so an id must not allow writing as that browser. */
export function chatIdOf(secret: string): string {
  return createHash("sha256").update(`hermes web chat ${secret}`).digest("hex").slice(0, 32);
}
