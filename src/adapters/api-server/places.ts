/** Which chat a request belongs to: what the client says, or one of its own. Always one of its key's. */

import { ApiError, invalid } from "./errors.js";
import { chatId, chatName, ownName } from "./ids.js";

export interface Place {
  chatId: string;
  /** What the client calls the chat. */
  name: string;
  /** A session of this key that no chat is in: this chat takes it up again first. */
  resume?: string;
  /** Nobody has named it: nothing will follow, as far as we know. */
  unnamed?: true;
}

/** A session of this key's, in whichever chat; undefined: there is none, or it is somebody else's. */
export type FindSession = (key: string, id: string) => Promise<{ chatId: string | null } | undefined>;

const LONGEST = 256;

export async function choosePlace(
  headers: (name: string) => string | undefined,
  key: string,
  request: string,
  options: { sessionHeaders: readonly string[]; findSession: FindSession },
): Promise<Place> {
  const id = nameIn(headers, "X-Hermes-Session-Id");
  if (id !== undefined) return bySession(key, id, options.findSession);
  const named = ["X-Hermes-Session-Key", ...options.sessionHeaders]
    .map((header) => nameIn(headers, header))
    .find((name) => name !== undefined);
  if (named !== undefined) return { chatId: chatId(key, named), name: named };
  const name = ownName(request);
  return { chatId: chatId(key, name), name, unnamed: true };
}

/** An id that isn't one of this key's sessions is a name like any other: it tells nothing about other keys' sessions. */
async function bySession(key: string, id: string, findSession: FindSession): Promise<Place> {
  const session = await findSession(key, id);
  const name = session && chatName(key, session.chatId);
  if (session?.chatId && name !== undefined) return { chatId: session.chatId, name };
  return { chatId: chatId(key, id), name: id, ...(session ? { resume: id } : {}) };
}

function nameIn(headers: (name: string) => string | undefined, header: string): string | undefined {
  const name = headers(header)?.trim();
  if (name === undefined || name === "") return undefined;
  if (name.length > LONGEST) throw invalid(`${header} may have ${LONGEST} characters at most`);
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
