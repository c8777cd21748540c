/** Discord's events → `InboundMessage`, edits and deletes, or nothing. Pure. */
import type { APIAttachment, APIInteraction, APIMessage, APIUser } from "discord.js";
import { InteractionType, MessageFlags, MessageType } from "discord-api-types/v10";
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage, Origin } from "../../message.js";
import type { MessageEdit, MessageRef } from "../adapter.js";
import { type ChannelInfo, channelKind } from "./channels.js";
import { mentionsBot, mentionsOthers, type TextContext, textOf } from "./describe.js";
import { makeThreadStart, timeOf } from "./ids.js";

export const PLATFORM = "discord";

/** Written by people or bots; the other types are Discord's notices (joins, pins, boosts, "started a thread"). */
const WRITTEN_TYPES: readonly MessageType[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

export interface Context extends TextContext {
  account: string;
  channel: ChannelInfo;
  /** "Server / #channel". */
  chatName: string | null;
  /** A message in a channel opens its own thread. */
  replyInThread: boolean;
}

/** A gateway event also contains the author's member data. */
export type NativeMessage = APIMessage & {
  member?: { nick?: string | null; roles?: string[] };
  guild_id?: string;
};

export function normaliseMessage(message: NativeMessage, context: Context): InboundMessage | undefined {
  if (!WRITTEN_TYPES.includes(message.type) || message.author.id === context.botId) return undefined;
  const text = textOf(message, context);
  const attachments = filesIn(message).map((file) => attachmentOf(file, message.flags ?? 0));
  if (text === "" && attachments.length === 0 && !mentionsBot(message.content, context)) return undefined;
  return {
    platform: PLATFORM,
    account: context.account,
    eventId: message.id,
    origin: originOf(context, message.id, message.author, message.member?.nick),
    text,
    attachments,
    sentAt: timeOf(message.id) / 1000,
    ...quotedIn(message, context),
    mentioned: mentionsBot(message.content, context),
    repliedToBot: message.referenced_message?.author.id === context.botId,
    threadWithBot: context.channel.withBot,
    ...(mentionsOthers(message.content, context) ? { mentionsOthers: true } : {}),
    ...rolesOf(message.member),
    isBot: message.author.bot === true || message.webhook_id !== undefined,
    authenticated: false,
  };
}

/** Discord also "updates" a message when it adds link previews: only edits by the author count. */
export function normaliseEdit(message: NativeMessage, context: Context): MessageEdit | undefined {
  if (!message.edited_timestamp || !message.author || message.author.id === context.botId) return undefined;
  if (!WRITTEN_TYPES.includes(message.type)) return undefined;
  return { ...refOf(context, message.id), text: textOf(message, context) };
}

export function refOf(
  context: Pick<Context, "account" | "channel" | "replyInThread">,
  id: string,
): MessageRef {
  return { platform: PLATFORM, account: context.account, ...locationOf(context, id) };
}

/** The thread, for a message in a thread or one that opens its own; else the channel. */
function locationOf(
  { channel, replyInThread }: Pick<Context, "channel" | "replyInThread">,
  messageId: string,
) {
  if (!replyInThread || channel.kind !== "group" || channel.threadless)
    return { chatId: channel.id, messageId };
  return { chatId: messageId, messageId: makeThreadStart(channel.id, messageId) };
}

export function originOf(context: Context, id: string, author: APIUser, nick?: string | null): Origin {
  const { channel } = context;
  const location = locationOf(context, id);
  const opensThread = location.chatId !== channel.id;
  const inThread = channel.kind === "thread" || opensThread;
  return {
    platform: PLATFORM,
    chatType: inThread ? "thread" : channel.kind,
    chatId: location.chatId,
    chatName: channel.kind === "dm" ? nameOf(author) : context.chatName,
    threadId: inThread ? location.chatId : null,
    userId: author.id,
    userName: nick ?? nameOf(author),
    chatTopic: channel.topic,
    guildId: channel.guildId,
    parentChatId: opensThread ? channel.id : channel.parentId,
    messageId: location.messageId,
  };
}

export function rolesOf(member: { roles?: string[] } | undefined): Pick<InboundMessage, "roles"> {
  return member?.roles?.length ? { roles: member.roles } : {};
}

function nameOf(user: APIUser): string {
  return user.global_name ?? user.username;
}

function quotedIn(message: APIMessage, context: Context): Pick<InboundMessage, "quoted"> {
  const original = message.referenced_message;
  if (!original) return {};
  const files = (original.attachments ?? []).map(({ filename }) => `[File: ${filename}]`);
  const text = [textOf(original, context), ...files].filter((line) => line !== "").join("\n");
  return text === "" ? {} : { quoted: { text, messageId: original.id } };
}

/** Its own files and those of forwarded messages in it. */
export function filesIn({ attachments, message_snapshots: snapshots }: NativeMessage): APIAttachment[] {
  return [...(attachments ?? []), ...(snapshots ?? []).flatMap(({ message }) => message.attachments ?? [])];
}

function attachmentOf(file: APIAttachment, messageFlags: number): Attachment {
  const mimeType = file.content_type?.split(";", 1)[0]?.trim();
  const isVoice = (messageFlags & MessageFlags.IsVoiceMessage) !== 0;
  return {
    kind: isVoice ? "audio" : kindOf(mimeType),
    name: displayName(file.filename),
    bytes: file.size,
    ...(mimeType ? { mimeType } : {}),
  };
}

// ── slash commands ────────────────────────────────────────────────────────────────────────────────────────────────

/** `/name args`, as if it had been typed. */
export function normaliseCommand(
  interaction: APIInteraction,
  context: Omit<Context, "replyInThread">,
): InboundMessage | undefined {
  const user = interaction.member?.user ?? interaction.user;
  if (interaction.type !== InteractionType.ApplicationCommand || !user) return undefined;
  const { name, options } = interaction.data as { name: string; options?: CommandOption[] };
  const nick = interaction.member?.nick;
  return {
    platform: PLATFORM,
    account: context.account,
    eventId: interaction.id,
    origin: originOf({ ...context, replyInThread: false }, interaction.id, user, nick),
    text: [`/${name}`, ...valuesOf(options)].join(" "),
    attachments: [],
    sentAt: timeOf(interaction.id) / 1000,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: context.channel.withBot,
    ...rolesOf(interaction.member),
    isBot: user.bot === true,
    authenticated: false,
  };
}

interface CommandOption {
  name: string;
  value?: string | number | boolean;
  options?: CommandOption[];
}

/** The names of subcommands are part of the text. */
function valuesOf(options: readonly CommandOption[] = []): string[] {
  return options.flatMap(({ name, value, options: inner }) =>
    value === undefined ? [name, ...valuesOf(inner)] : [String(value).trim()],
  );
}

/** The channel as described in the interaction: no request needed. */
export function channelOf(interaction: APIInteraction): ChannelInfo | undefined {
  const channel = interaction.channel as
    | { id: string; type?: number; name?: string | null; topic?: string | null; parent_id?: string | null }
    | undefined;
  if (!channel) return undefined;
  const kind = channelKind(channel.type);
  return {
    id: channel.id,
    kind,
    name: channel.name ?? null,
    topic: channel.topic ?? null,
    parentId: kind === "thread" ? (channel.parent_id ?? null) : null,
    guildId: interaction.guild_id ?? null,
    withBot: false,
  };
}
