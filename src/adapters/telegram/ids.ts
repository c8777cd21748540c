/** Telegram's numbers ↔ the gateway's opaque ids. Nobody else looks inside them. */

/** The bot's own id stands before the colon of its token. */
export function accountOf(token: string): string | undefined {
  return /^(\d+):\S+$/.exec(token)?.[1];
}

/** A message's, not an update's: those may begin anew, and one post may come in two updates. */
export function eventIdOf(chatId: number, messageId: number): string {
  return `${chatId}/${messageId}`;
}

/** The topic of a forum that has no number of its own in messages. */
export const GENERAL_TOPIC = "1";

/** Channels' direct messages have topics of another kind. */
const DIRECT = "direct-";

export function directTopic(topicId: number): string {
  return `${DIRECT}${topicId}`;
}

export interface Place {
  message_thread_id?: number;
  direct_messages_topic_id?: number;
}

/** Telegram refuses the General topic's number in messages, but wants it for the typing sign. */
export function placeOf(threadId: string | null, purpose: "message" | "typing"): Place {
  if (threadId === null) return {};
  if (threadId.startsWith(DIRECT)) return { direct_messages_topic_id: Number(threadId.slice(DIRECT.length)) };
  if (threadId === GENERAL_TOPIC && purpose === "message") return {};
  const message_thread_id = parseMessageId(threadId);
  return message_thread_id === undefined ? {} : { message_thread_id };
}

/** Chat ids are numbers of up to 52 bits, negative for groups; `@name` for public channels. */
export function parseChatId(chatId: string | null): number | string | undefined {
  if (chatId === null) return undefined;
  if (/^-?\d{1,16}$/.test(chatId)) return Number(chatId);
  return /^@\w+$/.test(chatId) ? chatId : undefined;
}

export function parseMessageId(messageId: string | null): number | undefined {
  return messageId !== null && /^\d{1,15}$/.test(messageId) && messageId !== "0"
    ? Number(messageId)
    : undefined;
}
