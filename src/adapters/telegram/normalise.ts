/** Update → a message, an edit or a move for the gateway; other kinds are ignored. Pure. */
import type { Chat, Message, Update, User } from "grammy/types";
import type { InboundMessage, Origin } from "../../message.js";
import type { MessageEdit } from "../adapter.js";
import { describeKind, richText } from "./describe.js";
import { type TelegramFile, telegramFilesOf } from "./files.js";
import { directTopic, eventIdOf, GENERAL_TOPIC } from "./ids.js";
import { addressing, withoutMentions } from "./mentions.js";

export const PLATFORM = "telegram";

/** The bot itself. */
export interface Self {
  id: number;
  username: string;
}

export type Normalised =
  | { kind: "message"; message: InboundMessage; files: TelegramFile[] }
  | { kind: "edit"; edit: MessageEdit }
  | { kind: "moved"; from: string; to: string };

/** The kinds of updates that we subscribe to. */
export const WANTED_UPDATES = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "callback_query",
] as const;

export function normalise(update: Update, self: Self): Normalised | undefined {
  const written = update.message ?? update.channel_post;
  if (written) return moved(written) ?? inbound(written, self);
  const edited = update.edited_message ?? update.edited_channel_post;
  return edited ? edit(edited, self) : undefined;
}

/** The chat of an update: order matters within a chat. */
export function chatOf(update: Update): string {
  const { message: written, channel_post, edited_message, edited_channel_post, callback_query } = update;
  const message = written ?? channel_post ?? edited_message ?? edited_channel_post ?? callback_query?.message;
  return String(message?.chat?.id ?? "");
}

/** Both chats get a notice of the move; either is enough. */
function moved(message: Message): Normalised | undefined {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message;
  if (to !== undefined) return { kind: "moved", from: String(chat.id), to: String(to) };
  return from === undefined ? undefined : { kind: "moved", from: String(from), to: String(chat.id) };
}

function inbound(message: Message, self: Self): Normalised | undefined {
  const text = textOf(message, self);
  const files = telegramFilesOf(message);
  if (!message.message_id || text === undefined || (text === "" && files.length === 0)) return undefined;
  const { mentioned, otherBot, mentionsOthers } = addressing(message, self);
  if (otherBot) return undefined;
  const quoted = quotedOf(message);
  return {
    kind: "message",
    files,
    message: {
      platform: PLATFORM,
      account: String(self.id),
      eventId: eventIdOf(message.chat.id, message.message_id),
      origin: originOf(message),
      text,
      attachments: files.map((file) => file.attachment),
      ...(message.media_group_id !== undefined && { inAlbum: true as const }),
      sentAt: message.date,
      ...(quoted && { quoted }),
      mentioned,
      repliedToBot: repliedTo(message)?.from?.id === self.id,
      threadWithBot: false,
      ...(mentionsOthers && { mentionsOthers }),
      isBot: isBot(message),
      authenticated: false,
    },
  };
}

/** Edits that leave no text are ignored. */
function edit(message: Message, self: Self): Normalised | undefined {
  const text = textOf(message, self);
  if (!message.message_id || !text) return undefined;
  const chatId = String(message.chat.id);
  const messageId = String(message.message_id);
  return {
    kind: "edit",
    edit: { platform: PLATFORM, account: String(self.id), chatId, messageId, text },
  };
}

/** Undefined: neither text nor a kind that can be described. */
function textOf(message: Message, self: Self): string | undefined {
  const written = message.text ?? message.caption ?? richText(message);
  const words = written === undefined ? undefined : withoutMentions(message, written, self);
  const kind = describeKind(message);
  if (words === undefined && kind === undefined && telegramFilesOf(message).length === 0) return undefined;
  const author = forwardedFrom(message);
  // The author in front keeps a forwarded command from being executed.
  const forwarded = author === undefined ? undefined : `[Forwarded from ${author}]`;
  return [forwarded, kind, words].filter(Boolean).join("\n");
}

function forwardedFrom({ forward_origin: origin }: Message): string | undefined {
  switch (origin?.type) {
    case undefined:
      return undefined;
    case "user":
      return nameOf(origin.sender_user);
    case "hidden_user":
      return origin.sender_user_name;
    case "chat":
      return titleOf(origin.sender_chat) ?? "a chat";
    case "channel":
      return titleOf(origin.chat) ?? "a channel";
    default:
      return "someone";
  }
}

// ── where from ──────────────────────────────────────────────────────────────────────────────────────────────────────

const CHAT_TYPES: Record<string, string> = {
  private: "dm",
  group: "group",
  supergroup: "group",
  channel: "channel",
};

export function originOf(message: Message): Origin {
  const { chat, from, sender_chat } = message;
  const chatType = CHAT_TYPES[chat.type] ?? "group";
  // For people who write as a chat, `from` is a bot of Telegram's that they all share: use the chat.
  const userId = sender_chat?.id ?? from?.id ?? (chatType === "group" ? undefined : chat.id);
  return {
    platform: PLATFORM,
    chatType,
    chatId: String(chat.id),
    chatName: titleOf(chat) ?? null,
    threadId: threadOf(message) ?? null,
    userId: userId === undefined ? null : String(userId),
    userName: authorOf(message) ?? null,
    chatTopic: message.reply_to_message?.forum_topic_created?.name ?? null,
    messageId: String(message.message_id),
  };
}

/** Topics only: an ordinary reply has a thread number too. */
function threadOf(message: Message): string | undefined {
  const { chat, message_thread_id: thread, is_topic_message: inTopic, direct_messages_topic } = message;
  if (direct_messages_topic) return directTopic(direct_messages_topic.topic_id);
  if (chat.type === "private") return inTopic && thread !== undefined ? String(thread) : undefined;
  if (inTopic || chat.is_forum) return thread === undefined ? forumDefault(chat) : String(thread);
  return undefined;
}

function forumDefault(chat: Chat): string | undefined {
  return chat.is_forum ? GENERAL_TOPIC : undefined;
}

/** Anonymous admins appear as a bot of Telegram's, but are people. A channel's automatic forward may be our own post. */
function isBot({ from, sender_chat, is_automatic_forward }: Message): boolean {
  if (is_automatic_forward) return true;
  return sender_chat === undefined && from?.is_bot === true;
}

function authorOf({ from, sender_chat, author_signature }: Message): string | undefined {
  if (author_signature !== undefined) return author_signature;
  if (sender_chat) return titleOf(sender_chat);
  return from && nameOf(from);
}

export function nameOf({ first_name, last_name }: User): string {
  return [first_name, last_name].filter(Boolean).join(" ");
}

function titleOf(chat: Chat): string | undefined {
  return chat.title ?? ([chat.first_name, chat.last_name].filter(Boolean).join(" ") || chat.username);
}

// ── what it replies to ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The message that was replied to. Telegram also puts a topic's first message there when it isn't a reply. */
function repliedTo({ reply_to_message: reply }: Message): Message | undefined {
  return reply?.forum_topic_created ? undefined : reply;
}

function quotedOf(message: Message): InboundMessage["quoted"] | undefined {
  const reply = repliedTo(message);
  const whole = reply && (reply.text ?? reply.caption ?? richText(reply) ?? describeKind(reply));
  const text = message.quote?.text ?? whole ?? (reply && filesOf(reply));
  if (text === undefined) return undefined;
  return { text, messageId: reply ? String(reply.message_id) : null };
}

function filesOf(message: Message): string | undefined {
  const [file] = telegramFilesOf(message);
  return file && `[${file.attachment.name ?? file.attachment.kind}]`;
}
