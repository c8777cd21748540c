import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

const COMPARE_KEY = randomBytes(32).toString("hex");

/** Compares two secrets in constant time, regardless of their lengths. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => hash("sha256", COMPARE_KEY + text, "buffer");
  return timingSafeEqual(digest(a), digest(b));
}

/** The secret of `Authorization: Bearer <secret>`. */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(authorization ?? "")?.[1]?.trim();
}

/** `t=<seconds>,v1=<HMAC-SHA256 of "t.body">`, as Stripe signs. */
export function signBody(secret: string, body: string, at: number): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}
