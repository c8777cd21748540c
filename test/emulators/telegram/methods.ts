/** The methods of the Bot API that our adapter calls. Each takes the payload and returns the result. */
import { randomUUID } from "node:crypto";
import type { Chats } from "./chats.js";
import { type Entity, parseHtml } from "./html.js";
import { keyboardOf, type Presses } from "./keyboards.js";
import {
  ApiError,
  type EmulatedChat,
  type Payload,
  type Person,
  type SeenMessage,
  type UploadedFile,
  type WireMessage,
} from "./types.js";
import type { UpdateQueue } from "./updates.js";
import type { WebhookSender } from "./webhook.js";

const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;
export const NOT_MODIFIED =
  "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

export interface Draft {
  chatId: number;
  draftId: number;
  threadId: number | undefined;
  text: string;
  at: number;
}

export interface Action {
  chatId: number;
  threadId: number | undefined;
  action: string;
}

export interface World {
  bot: Person;
  /** @BotFather's /setprivacy. It doesn't affect the emulator's deliveries. */
  privacyMode: boolean;
  chats: Chats;
  updates: UpdateQueue;
  webhook: WebhookSender;
  files: Map<string, { path: string; content: Buffer }>;
  drafts: Draft[];
  actions: Action[];
  /** The bot's reactions, by chat and message. */
  reactions: Map<string, string>;
  commands: { command: string; description: string }[];
  presses: Presses;
}

type Method = (world: World, payload: Payload, files: readonly UploadedFile[]) => unknown;

const uploads = ["Photo", "Document", "Audio", "Video", "Voice", "Animation"];

export const METHODS: Record<string, Method> = {
  getMe: ({ bot, privacyMode }) => ({
    ...bot,
    can_join_groups: true,
    can_read_all_group_messages: !privacyMode,
  }),
  deleteWebhook: ({ webhook, updates }, payload) => {
    if (payload.drop_pending_updates === true) updates.confirmBelow(Number.MAX_SAFE_INTEGER);
    webhook.target = undefined;
    return true;
  },
  setWebhook: ({ webhook, updates }, payload) => {
    webhook.target = { url: String(payload.url), secret: payload.secret_token as string | undefined };
    updates.allow(payload.allowed_updates as string[] | undefined);
    updates.abort(new ApiError(409, "Conflict: terminated by setWebhook request"));
    webhook.wake();
    return true;
  },
  getWebhookInfo: ({ webhook, updates }) => ({
    url: webhook.target?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: updates.pending.length,
    ...(webhook.lastError && { last_error_message: webhook.lastError, last_error_date: nowSeconds() }),
  }),
  sendMessage,
  editMessageText,
  sendMessageDraft,
  sendChatAction: ({ chats, actions }, payload) => {
    const chat = chats.writable(payload.chat_id);
    actions.push({ chatId: chat.id, threadId: threadOf(payload), action: String(payload.action) });
    return true;
  },
  setMessageReaction: ({ chats, reactions }, payload) => {
    const chat = chats.writable(payload.chat_id);
    const key = `${chat.id}:${String(payload.message_id)}`;
    const [wanted] = payload.reaction as { type: string; emoji: string }[];
    if (wanted && !["👀", "👍", "👎"].includes(wanted.emoji))
      throw new ApiError(400, "Bad Request: REACTION_INVALID");
    if (wanted) reactions.set(key, wanted.emoji);
    else reactions.delete(key);
    return true;
  },
  answerCallbackQuery: ({ presses }, payload) => presses.answer(payload),
  setMyCommands,
  getMyCommands: ({ commands }) => commands,
  deleteMessage: ({ chats }, payload) => {
    const seen = chats.find(chats.writable(payload.chat_id).id, payload.message_id);
    if (!seen) throw new ApiError(400, "Bad Request: message to delete not found");
    seen.deleted = true;
    return true;
  },
  getFile: ({ files }, payload) => {
    const file = files.get(String(payload.file_id));
    if (!file) throw new ApiError(400, "Bad Request: wrong file_id or the file is temporarily unavailable");
    if (file.content.length > 20 * 1024 * 1024) throw new ApiError(400, "Bad Request: file is too big");
    return {
      file_id: payload.file_id,
      file_unique_id: "u",
      file_size: file.content.length,
      file_path: file.path,
    };
  },
  ...Object.fromEntries(uploads.map((kind) => [`send${kind}`, sendFile(kind)])),
};

function sendMessage(world: World, payload: Payload): WireMessage {
  const chat = world.chats.writable(payload.chat_id);
  const { text, entities } = textOf(payload, "text", MAX_TEXT);
  if (text.trim() === "") throw new ApiError(400, "Bad Request: message text is empty");
  const seen = post(world, chat, payload, { text, file: undefined });
  return wireOf(world, chat, seen, { text, ...(entities.length > 0 && { entities }) });
}

function editMessageText(world: World, payload: Payload): WireMessage {
  const chat = world.chats.writable(payload.chat_id);
  const seen = world.chats.find(chat.id, payload.message_id);
  if (!seen) throw new ApiError(400, "Bad Request: message to edit not found");
  if (seen.from !== "bot") throw new ApiError(400, "Bad Request: message can't be edited");
  const { text } = textOf(payload, "text", MAX_TEXT);
  const html = payload.parse_mode === "HTML" ? String(payload.text) : undefined;
  const keyboard = keyboardOf(payload);
  const isSameKeyboard = JSON.stringify(keyboard) === JSON.stringify(seen.keyboard);
  if (text === seen.text && html === seen.html && isSameKeyboard) throw new ApiError(400, NOT_MODIFIED);
  Object.assign(seen, { text, html, keyboard, edits: seen.edits + 1 });
  return wireOf(world, chat, seen, { text, edit_date: nowSeconds() });
}

function sendMessageDraft(world: World, payload: Payload): true {
  const chat = world.chats.writable(payload.chat_id);
  if (chat.type !== "private")
    throw new ApiError(400, "Bad Request: method is available only in private chats");
  const draftId = Number(payload.draft_id);
  if (!Number.isInteger(draftId) || draftId === 0) throw new ApiError(400, "Bad Request: DRAFT_ID_INVALID");
  const { text } = textOf(payload, "text", MAX_TEXT);
  world.drafts.push({ chatId: chat.id, draftId, threadId: threadOf(payload), text, at: Date.now() });
  return true;
}

function setMyCommands(world: World, payload: Payload): true {
  const commands = payload.commands as World["commands"];
  if (commands.length > 100) throw new ApiError(400, "Bad Request: BOT_COMMANDS_TOO_MUCH");
  for (const { command, description } of commands) {
    if (!/^[a-z0-9_]{1,32}$/.test(command)) throw new ApiError(400, "Bad Request: BOT_COMMAND_INVALID");
    if (description.length < 1 || description.length > 256)
      throw new ApiError(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID");
  }
  world.commands = commands;
  return true;
}

function sendFile(kind: string): Method {
  const field = kind.toLowerCase();
  return (world, payload, files) => {
    const chat = world.chats.writable(payload.chat_id);
    const { text } = textOf(payload, "caption", MAX_CAPTION);
    const id = String(payload[field] ?? "").replace("attach://", "");
    const upload = files.find((file) => file.field === id);
    if (!upload) throw new ApiError(400, "Bad Request: wrong file identifier/HTTP URL specified");
    const fileId = randomUUID();
    world.files.set(fileId, { path: `sent/${fileId}`, content: upload.content });
    const file = { method: `send${kind}`, name: upload.name, bytes: upload.content.length };
    const seen = post(world, chat, payload, { text, file });
    const described = { file_id: fileId, file_unique_id: "u", file_size: file.bytes };
    return wireOf(world, chat, seen, { [field]: kind === "Photo" ? [described] : described });
  };
}

function post(
  { chats }: World,
  chat: EmulatedChat,
  payload: Payload,
  content: Pick<SeenMessage, "text" | "file">,
): SeenMessage {
  const threadId = threadOf(payload);
  if (threadId !== undefined && !chats.hasTopic(chat.id, threadId))
    throw new ApiError(400, "Bad Request: message thread not found");
  const html = payload.parse_mode === "HTML" ? String(payload.text ?? payload.caption ?? "") : undefined;
  const replyTo = replyOf(chats, chat, payload);
  const keyboard = keyboardOf(payload);
  return chats.add({ chatId: chat.id, from: "bot", ...content, html, replyTo, threadId, keyboard });
}

function replyOf(chats: Chats, chat: EmulatedChat, payload: Payload): number | undefined {
  const reply = payload.reply_parameters as
    | { message_id: number; allow_sending_without_reply?: boolean }
    | undefined;
  if (!reply) return undefined;
  if (chats.find(chat.id, reply.message_id)) return reply.message_id;
  if (reply.allow_sending_without_reply) return undefined;
  throw new ApiError(400, "Bad Request: message to be replied not found");
}

function textOf(payload: Payload, field: string, limit: number): { text: string; entities: Entity[] } {
  const raw = String(payload[field] ?? "");
  if (hasLoneSurrogate(raw)) throw new ApiError(400, "Bad Request: strings must be encoded in UTF-8");
  const parsed = payload.parse_mode === "HTML" ? parseHtml(raw) : { text: raw, entities: [] };
  if ([...parsed.text].length > limit)
    throw new ApiError(
      400,
      field === "caption" ? "Bad Request: message caption is too long" : "Bad Request: message is too long",
    );
  return parsed;
}

export function wireOf({ bot }: World, chat: EmulatedChat, seen: SeenMessage, content: Payload): WireMessage {
  const wire: WireMessage = { message_id: seen.id, chat, date: nowSeconds(), from: bot, ...content };
  if (seen.threadId !== undefined)
    Object.assign(wire, { message_thread_id: seen.threadId, is_topic_message: true });
  if (seen.keyboard) wire.reply_markup = { inline_keyboard: seen.keyboard };
  return wire;
}

function threadOf(payload: Payload): number | undefined {
  return payload.message_thread_id === undefined ? undefined : Number(payload.message_thread_id);
}

function hasLoneSurrogate(text: string): boolean {
  return /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
