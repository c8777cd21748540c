/** The names of things: requests, chats, and what clients call them. Only this file looks inside. */
import { createHash, randomBytes } from "node:crypto";

export const PLATFORM = "api_server";
export const ACCOUNT = "api_server";

/** 32 hex digits. Given again under the same name by the same key, it is the same request. */
export function requestId(key: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomBytes(16).toString("hex");
  return createHash("sha256")
    .update(JSON.stringify([key, idempotencyKey]))
    .digest("hex")
    .slice(0, 32);
}

/** A key's name holds no colon: chats of two keys are never the same, whatever their clients call them. */
export function chatId(key: string, name: string): string {
  return `${key}:${name}`;
}

/** What the key's client calls a chat; undefined: it isn't one of this key's. */
export function chatName(key: string, id: string | null): string | undefined {
  return id?.startsWith(`${key}:`) ? id.slice(key.length + 1) : undefined;
}

/** A chat that no client has named, and the session that begins with it. */
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
