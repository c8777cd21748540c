/** Ids of requests and chats. Only this file knows their format. */
import { createHash } from "node:crypto";
import { orderedId } from "../../ordered-id.js";

export const PLATFORM = "api_server";
export const ACCOUNT = "api_server";

/** 32 hex digits. The same name from the same key gives the same id. */
export function requestId(key: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return orderedId().replaceAll("-", "");
  return createHash("sha256")
    .update(JSON.stringify([key, idempotencyKey]))
    .digest("hex")
    .slice(0, 32);
}

/** A key's name has no colon, so chats of two keys never collide. */
export function chatId(key: string, name: string): string {
  return `${key}:${name}`;
}

/** The client's name for a chat; undefined: it belongs to another key. */
export function chatName(key: string, id: string | null): string | undefined {
  return id?.startsWith(`${key}:`) ? id.slice(key.length + 1) : undefined;
}

/** Name of a chat that the client didn't name, and of its session. */
export function ownName(request: string): string {
  return `api_${request}`;
}

export const completionId = (request: string) => `chatcmpl-${request}`;
export const responseId = (request: string) => `resp_${request}`;

export function requestOfResponse(id: string): string | undefined {
  return /^resp_([0-9a-f]{32})$/.exec(id)?.[1];
}

export function fingerprint(path: string, body: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([path, body]))
    .digest("hex")
    .slice(0, 32);
}
