/** Telegram's numbers ↔ the gateway's opaque ids. Only this adapter parses them. */

/** A token is the bot's id, a colon and a secret. */
export function accountOf(token: string): string | undefined {
  return /^(\d+):\S+$/.exec(token)?.[1];
}

/** Made from the message, not the update: update ids may restart, and one post may come in two updates. */
export function eventIdOf(chatId: number, messageId: number): string {
  return `${chatId}/${messageId}`;
}

export function pressEventId(callbackId: string): string {
  return `press/${callbackId}`;
}

/** A forum's General topic, which messages don't number. */
export const GENERAL_TOPIC = "1";

/** Direct messages to channels have topics of another kind. */
const DIRECT = "direct-";

export function directTopic(topicId: number): string {
  return `${DIRECT}${topicId}`;
}

export interface ThreadParams {
  message_thread_id?: number;
  direct_messages_topic_id?: number;
}

/** Telegram refuses the General topic's number in messages, but requires it for the typing indicator. */
export function threadParamsOf(threadId: string | null, purpose: "message" | "typing"): ThreadParams {
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
