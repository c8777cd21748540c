/** Home Assistant's ids and ours. Only this file builds and parses them. */
import { createHash } from "node:crypto";

/** All changes come from this one chat, and answers to it are notifications in Home Assistant. */
export const EVENTS_CHAT = "ha_events";
export const USER = "homeassistant";

const MAX_ENTITY = 255;

export function isEntityId(text: unknown): text is string {
  return typeof text === "string" && text.length <= MAX_ENTITY && /^[a-z0-9_]+\.[a-z0-9_]+$/.test(text);
}

export function domainOf(entityId: string): string {
  return entityId.split(".", 1)[0]!;
}

/** `notify.mobile_app_phone` → `mobile_app_phone`; undefined if it isn't a service for notifications. */
export function notifyServiceOf(chatId: string): string | undefined {
  return /^notify\.([a-z0-9_]{1,200})$/.exec(chatId)?.[1];
}

/** The same for every attempt at a part: a notification replaces the one with its id. */
export function notificationId(nonce: string, part: number): string {
  return `hermes_${createHash("sha256").update(`${nonce}\n${part}`).digest("hex").slice(0, 24)}`;
}

/** What an entity was when it was last reported, or when it appeared. */
export function stateCursor(entityId: string): string {
  return `state:${entityId}`;
}
