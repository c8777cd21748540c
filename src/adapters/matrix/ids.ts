/** Matrix's ids and ours. Only this file builds and parses them. */

export const CURSOR = "since";
/** In the content of our events. */
export const NONCE = "org.hermes.nonce";
/** The question that an unfinished answer is for. */
export const PREVIEW = "org.hermes.preview";

export function isRoomId(text: unknown): text is string {
  return typeof text === "string" && text.length <= 255 && /^!\S+$/.test(text);
}

export function isEventId(text: unknown): text is string {
  return typeof text === "string" && text.length <= 255 && /^\$\S+$/.test(text);
}

export function isUserId(text: unknown): text is string {
  return typeof text === "string" && text.length <= 255 && /^@[^\s:]+:\S+$/.test(text);
}

/** The server sends once for each of these. */
export function txnId(nonce: string, index: number): string {
  return `hermes-${nonce}-${index}`;
}

/** `mxc://server/id` → its two parts. */
export function parseMxc(url: unknown): { server: string; id: string } | undefined {
  const [, server, id] =
    (typeof url === "string" && /^mxc:\/\/([\w.:[\]-]{1,255})\/([\w-]{1,255})$/.exec(url)) || [];
  return server === undefined || id === undefined ? undefined : { server, id };
}
