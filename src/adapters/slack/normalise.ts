/** Slack event or command → a message, an edit, a delete, or nothing. Pure. */
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, ChatType, InboundMessage } from "../../message.js";
import type { MessageEdit, MessageRef } from "../adapter.js";
import { commandEventId, commandId, isTs, postEventId } from "./ids.js";
import { mentionedIds, readMrkdwn } from "./mrkdwn.js";
import type { Identity, SlackAttachment, SlackCommand, SlackEvent, SlackFile } from "./payloads.js";

export const PLATFORM = "slack";

export interface NormaliseContext {
  account: string;
  identity: Identity;
  replyInThread: boolean;
  dmTopLevelThreadsAsSessions: boolean;
  slashCommand: string;
  /** Commands that work as `!name`: Slack's clients don't send messages that start with a slash. */
  commandNames: ReadonlySet<string>;
  nameOf(userId: string): string | undefined;
}

export type Incoming =
  | { kind: "message"; message: InboundMessage; files: readonly SlackFile[]; repliesTo: string | null }
  | { kind: "edit"; edit: MessageEdit; threadId: string | null }
  | { kind: "delete"; ref: MessageRef; threadId: string | null };

/** Subtypes of messages from people and bots. The others are notices: joins, pins, topics, huddles. */
const MESSAGE_SUBTYPES = new Set([undefined, "file_share", "thread_broadcast", "me_message", "bot_message"]);

export function normalise(event: SlackEvent, context: NormaliseContext): Incoming | undefined {
  if (event.type !== "message" && event.type !== "app_mention") return undefined;
  if (event.subtype === "message_changed") return editOf(event, context);
  if (event.subtype === "message_deleted") return deleteOf(event, event.deleted_ts, context);
  if (!MESSAGE_SUBTYPES.has(event.subtype) || event.hidden) return undefined;
  return messageOf(event, context);
}

function messageOf(event: SlackEvent, context: NormaliseContext): Incoming | undefined {
  const { channel, ts } = event;
  const userId = event.user ?? event.bot_id;
  if (!channel || !isTs(ts) || !userId || isOwn(event, context.identity)) return undefined;
  const files = (event.files ?? []).filter((file) => file.mode !== "tombstone");
  const text = textOf(event, context);
  if (text === "" && files.length === 0 && !mentions(event, context)) return undefined;
  const repliesTo = isReply(event) ? event.thread_ts! : null;
  const rootIsBot = repliesTo !== null && event.parent_user_id === context.identity.userId;
  const message: InboundMessage = {
    platform: PLATFORM,
    account: context.account,
    eventId: postEventId(context.identity.teamId, channel, ts),
    origin: {
      platform: PLATFORM,
      chatType: chatTypeOf(event),
      chatId: channel,
      threadId: threadOf(event, context),
      userId,
      userName: context.nameOf(userId) ?? event.username ?? null,
      guildId: event.team ?? context.identity.teamId,
      messageId: ts,
    },
    text,
    attachments: files.map(attachmentOf),
    sentAt: Number(ts),
    mentioned: mentions(event, context),
    repliedToBot: rootIsBot,
    threadWithBot: rootIsBot,
    isBot: isBot(event),
    authenticated: false,
  };
  return { kind: "message", message, files, repliesTo };
}

function isOwn(event: SlackEvent, { userId, botId }: Identity): boolean {
  return event.user === userId || (botId !== undefined && event.bot_id === botId);
}

function isBot(event: SlackEvent): boolean {
  return Boolean(event.bot_id) || event.subtype === "bot_message" || event.user === "USLACKBOT";
}

function mentions(event: SlackEvent, { identity }: NormaliseContext): boolean {
  return event.type === "app_mention" || mentionedIds(event.text ?? "").includes(identity.userId);
}

function chatTypeOf({ channel, channel_type: type }: SlackEvent): ChatType {
  // A group message has several people, so it is handled like a channel.
  return type === "im" || (type === undefined && channel?.startsWith("D")) ? "dm" : "group";
}

function isReply({ ts, thread_ts: threadTs }: SlackEvent): boolean {
  return isTs(threadTs) && threadTs !== ts;
}

function threadOf(event: SlackEvent, context: NormaliseContext): string | null {
  if (isReply(event)) return event.thread_ts!;
  const startsThread =
    chatTypeOf(event) === "dm" ? context.dmTopLevelThreadsAsSessions : context.replyInThread;
  return startsThread ? (event.ts ?? null) : null;
}

// --- text ---------------------------------------------------------------------------------------------------------

function textOf(event: SlackEvent, context: NormaliseContext): string {
  const options = { botUserId: context.identity.userId, nameOf: context.nameOf };
  const own = bangCommand(readMrkdwn(event.text ?? "", options), context.commandNames);
  const cards = (event.attachments ?? []).map((card) => cardText(card, own === "", options));
  return [own, ...cards].filter((part) => part !== "").join("\n\n");
}

function cardText(card: SlackAttachment, alone: boolean, options: Parameters<typeof readMrkdwn>[1]): string {
  const text = readMrkdwn(card.text ?? card.fallback ?? "", options);
  if (card.is_share || card.is_msg_unfurl)
    return `[forwarded from ${card.author_name ?? "someone"}]\n${text}`;
  if (!alone) return "";
  if (card.image_url) return `[image: ${card.title ?? card.fallback ?? "untitled"}]`;
  return text || (card.title ?? "");
}

/** `!status` → `/status` if that command exists. */
function bangCommand(text: string, names: ReadonlySet<string>): string {
  const name = /^!([a-z][\w-]*)/i.exec(text)?.[1];
  return name !== undefined && names.has(name.toLowerCase()) ? `/${text.slice(1)}` : text;
}

export function attachmentOf(file: SlackFile): Attachment {
  const { mimetype, size } = file;
  const name = file.name ?? file.title;
  return {
    kind: file.subtype === "slack_audio" ? "audio" : kindOf(mimetype),
    ...(name ? { name: displayName(name) } : {}),
    ...(mimetype ? { mimeType: mimetype } : {}),
    ...(typeof size === "number" ? { bytes: size } : {}),
  };
}

// --- edits and deletes --------------------------------------------------------------------------------------------

function editOf(event: SlackEvent, context: NormaliseContext): Incoming | undefined {
  const { channel, message, previous_message: previous } = event;
  if (!channel || !message || !isTs(message.ts)) return undefined;
  const inChannel = {
    ...message,
    channel,
    ...(event.channel_type ? { channel_type: event.channel_type } : {}),
  };
  // A deleted message with replies becomes a tombstone.
  if (message.subtype === "tombstone")
    return deleteOf({ ...event, previous_message: inChannel }, message.ts, context);
  if (isOwn(message, context.identity) || isBot(message)) return undefined;
  // Link previews and new replies change a message too, but not its text.
  if (previous && previous.text === message.text) return undefined;
  const edit = { ...refOf(channel, message.ts, context), text: textOf(message, context) };
  return { kind: "edit", edit, threadId: threadOf(inChannel, context) };
}

function deleteOf(
  event: SlackEvent,
  ts: string | undefined,
  context: NormaliseContext,
): Incoming | undefined {
  const { channel, previous_message: previous } = event;
  if (!channel || !isTs(ts) || (previous && isOwn(previous, context.identity))) return undefined;
  const type = event.channel_type;
  const threadId = threadOf({ ...previous, ts, channel, ...(type ? { channel_type: type } : {}) }, context);
  return { kind: "delete", ref: refOf(channel, ts, context), threadId };
}

function refOf(chatId: string, messageId: string, { account }: NormaliseContext): MessageRef {
  return { platform: PLATFORM, account, chatId, messageId };
}

// --- commands -----------------------------------------------------------------------------------------------------

/** Slack rarely sends the thread of a slash command, so the caller provides it. */
export function normaliseCommand(
  body: SlackCommand,
  threadId: string | null,
  now: number,
  context: NormaliseContext,
): InboundMessage | undefined {
  const { command, channel_id: chatId, user_id: userId, trigger_id: triggerId } = body;
  if (!command || !chatId || !userId || !triggerId) return undefined;
  return {
    platform: PLATFORM,
    account: context.account,
    eventId: commandEventId(context.identity.teamId, triggerId),
    origin: {
      platform: PLATFORM,
      chatType: chatId.startsWith("D") ? "dm" : "group",
      chatId,
      threadId,
      userId,
      userName: context.nameOf(userId) ?? body.user_name ?? null,
      guildId: body.team_id ?? context.identity.teamId,
      messageId: commandId(triggerId),
    },
    text: commandText(command, (body.text ?? "").trim(), context.slashCommand),
    attachments: [],
    sentAt: now,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
  };
}

function commandText(command: string, text: string, slashCommand: string): string {
  if (command !== slashCommand) return `${command} ${text}`.trim();
  if (text === "") return "/help";
  return text.startsWith("/") ? text : `/${text}`;
}
