/** Signal's ids and ours. Only this file builds and parses them. */

const GROUP = "group:";

export function isNumber(text: unknown): text is string {
  return typeof text === "string" && /^\+\d{5,15}$/.test(text);
}

export function isUuid(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** A phone number, or a person's uuid. */
export function isPersonId(text: unknown): text is string {
  return isNumber(text) || isUuid(text);
}

/** Base64. */
export function isGroupId(text: unknown): text is string {
  return typeof text === "string" && /^[A-Za-z0-9+/=_-]{1,200}$/.test(text);
}

export function groupChatId(groupId: string): string {
  return GROUP + groupId;
}

/** The group's own id; undefined if the chat is a person. */
export function groupIdOf(chatId: string): string | undefined {
  return chatId.startsWith(GROUP) ? chatId.slice(GROUP.length) : undefined;
}

/** A message is identified by its author and its time in milliseconds. */
export function messageId(timestamp: number, author: string): string {
  return `${timestamp}:${author}`;
}

export function parseMessageId(id: string | null): { timestamp: number; author: string } | undefined {
  const [, timestamp, author] = /^(\d{1,16}):(\S+)$/.exec(id ?? "") ?? [];
  return timestamp === undefined || !isPersonId(author)
    ? undefined
    : { timestamp: Number(timestamp), author };
}

/** The chat that a person was last seen in: it changes when they hide their number. */
export function chatCursor(uuid: string): string {
  return `chat:${uuid}`;
}

/** The number that a person had when it was last shown. */
export function numberCursor(uuid: string): string {
  return `number:${uuid}`;
}
