/** Mattermost's ids and ours. Only this file builds and parses them. */

/** Users, channels, posts and files: 26 letters and digits. */
export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[a-z0-9]{26}$/.test(text);
}

/** The server posts once for each of these, for half a minute. */
export function pendingPostId(userId: string, nonce: string, index: number): string {
  return `${userId}:${markOf(nonce, index)}`;
}

/** In the props of a post, by which it is found later. */
export function markOf(nonce: string, index: number): string {
  return `${nonce}:${index}`;
}

export const cursorNames = {
  /** Up to this time all channels were read. */
  seen: "seen",
  channel: (id: string) => `channel:${id}`,
};

/** A stored time in milliseconds; undefined if there is none that can be read. */
export function timeOf(cursor: string | undefined): number | undefined {
  return cursor !== undefined && /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined;
}

/** Of one press or one command: a base64 text that names it, its author and its time. */
export function isTrigger(text: unknown): text is string {
  return typeof text === "string" && /^[\w+/=.:-]{1,500}$/.test(text);
}

/** Of a slash command. */
export function isCommandToken(text: unknown): text is string {
  return typeof text === "string" && /^\w{10,100}$/.test(text);
}
