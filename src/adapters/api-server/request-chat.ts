/** The chat of a request: named by a header, or a new one. Always one of the key's own chats. */

import { ApiError, invalid } from "./errors.js";
import { chatId, chatName, ownName } from "./ids.js";

export interface RequestChat {
  chatId: string;
  /** The client's name for the chat. */
  name: string;
  /** A session of this key without a chat: this chat resumes it first. */
  resume?: string;
  /** The client gave no name, so no further messages are expected. */
  unnamed?: true;
}

/** A session of this key, in any chat; undefined: none, or another key's. */
export type FindSession = (key: string, id: string) => Promise<{ chatId: string | null } | undefined>;

const MAX_NAME_CHARS = 256;

export async function chooseChat(
  headers: (name: string) => string | undefined,
  key: string,
  request: string,
  options: { sessionHeaders: readonly string[]; findSession: FindSession },
): Promise<RequestChat> {
  const id = nameIn(headers, "X-Hermes-Session-Id");
  if (id !== undefined) return bySession(key, id, options.findSession);
  const named = ["X-Hermes-Session-Key", ...options.sessionHeaders]
    .map((header) => nameIn(headers, header))
    .find((name) => name !== undefined);
  if (named !== undefined) return { chatId: chatId(key, named), name: named };
  const name = ownName(request);
  return { chatId: chatId(key, name), name, unnamed: true };
}

/** An unknown id is just a name, so that it reveals nothing about other keys' sessions. */
async function bySession(key: string, id: string, findSession: FindSession): Promise<RequestChat> {
  const session = await findSession(key, id);
  const name = session && chatName(key, session.chatId);
  if (session?.chatId && name !== undefined) return { chatId: session.chatId, name };
  return { chatId: chatId(key, id), name: id, ...(session ? { resume: id } : {}) };
}

function nameIn(headers: (name: string) => string | undefined, header: string): string | undefined {
  const name = headers(header)?.trim();
  if (name === undefined || name === "") return undefined;
  if (name.length > MAX_NAME_CHARS) throw invalid(`${header} may have ${MAX_NAME_CHARS} characters at most`);
  if (!/^[\x20-\x7e]+$/.test(name)) throw invalid(`${header} may hold plain characters only`);
  return name;
}

export function readIdempotencyKey(headers: (name: string) => string | undefined): string | undefined {
  return nameIn(headers, "Idempotency-Key");
}

export function unknownResponse(id: string): ApiError {
  return new ApiError(404, "response_not_found", `There is no response ${id.slice(0, 80)}`, {
    param: "previous_response_id",
  });
}
