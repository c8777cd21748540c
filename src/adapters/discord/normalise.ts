/** Discord's events → `InboundMessage`, edits and deletes, or nothing. Pure. */
import type { APIAttachment, APIInteraction, APIMessage, APIUser } from "discord.js";
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment, InboundMessage, Origin } from "../../message.js";
import type { MessageEdit, MessageRef } from "../adapter.js";
import type { ChannelInfo } from "./channels.js";
import { namesBot, namesOthers, type TextContext, textOf } from "./describe.js";
import { makeThreadStart, timeOf } from "./ids.js";
import { CHANNEL_TYPE, FLAG_VOICE, INTERACTION_COMMAND, isSpoken, isThreadType } from "./kinds.js";

export const PLATFORM = "discord";

export interface Context extends TextContext {
  account: string;
  channel: ChannelInfo;
  /** "Server / #channel". */
  chatName: string | null;
  /** A message in a channel opens a thread of its own. */
  replyInThread: boolean;
}

/** Over the gateway a message tells who its author is in that server. */
export type NativeMessage = APIMessage & {
  member?: { nick?: string | null; roles?: string[] };
  guild_id?: string;
};

export function normaliseMessage(message: NativeMessage, context: Context): InboundMessage | undefined {
  if (!isSpoken(message.type) || message.author.id === context.botId) return undefined;
  const text = textOf(message, context);
  const attachments = filesIn(message).map((file) => attachmentOf(file, message.flags ?? 0));
  if (text === "" && attachments.length === 0 && !namesBot(message.content, context)) return undefined;
  return {
    platform: PLATFORM,
    account: context.account,
    eventId: message.id,
    origin: originOf(context, message.id, message.author, message.member?.nick),
    text,
    attachments,
    sentAt: timeOf(message.id) / 1000,
    ...quotedIn(message, context),
    mentioned: namesBot(message.content, context),
    repliedToBot: message.referenced_message?.author.id === context.botId,
    threadWithBot: context.channel.withBot,
    ...(namesOthers(message.content, context) ? { mentionsOthers: true } : {}),
    ...rolesOf(message.member),
    isBot: message.author.bot === true || message.webhook_id !== undefined,
    authenticated: false,
  };
}

/** Discord also "updates" a message when it has looked at a link in it: only the author's hand counts. */
export function normaliseEdit(message: NativeMessage, context: Context): MessageEdit | undefined {
  if (!message.edited_timestamp || !message.author || message.author.id === context.botId) return undefined;
  if (!isSpoken(message.type)) return undefined;
  return { ...refOf(context, message.id), text: textOf(message, context) };
}

export function refOf(
  context: Pick<Context, "account" | "channel" | "replyInThread">,
  id: string,
): MessageRef {
  return { platform: PLATFORM, account: context.account, ...placeOf(context, id) };
}

/** A message in a thread lives in the thread; one that opens its own lives in that. */
function placeOf({ channel, replyInThread }: Pick<Context, "channel" | "replyInThread">, messageId: string) {
  if (!replyInThread || channel.kind !== "group" || channel.threadless)
    return { chatId: channel.id, messageId };
  return { chatId: messageId, messageId: makeThreadStart(channel.id, messageId) };
}

function originOf(context: Context, id: string, author: APIUser, nick?: string | null): Origin {
  const { channel } = context;
  const place = placeOf(context, id);
  const opensThread = place.chatId !== channel.id;
  const inThread = channel.kind === "thread" || opensThread;
  return {
    platform: PLATFORM,
    chatType: inThread ? "thread" : channel.kind,
    chatId: place.chatId,
    chatName: channel.kind === "dm" ? nameOf(author) : context.chatName,
    threadId: inThread ? place.chatId : null,
    userId: author.id,
    userName: nick ?? nameOf(author),
    chatTopic: channel.topic,
    guildId: channel.guildId,
    parentChatId: opensThread ? channel.id : channel.parentId,
    messageId: place.messageId,
  };
}

function rolesOf(member: { roles?: string[] } | undefined): Pick<InboundMessage, "roles"> {
  return member?.roles?.length ? { roles: member.roles } : {};
}

function nameOf(user: APIUser): string {
  return user.global_name ?? user.username;
}

function quotedIn(message: APIMessage, context: Context): Pick<InboundMessage, "quoted"> {
  const answered = message.referenced_message;
  if (!answered) return {};
  const files = (answered.attachments ?? []).map(({ filename }) => `[File: ${filename}]`);
  const text = [textOf(answered, context), ...files].filter((line) => line !== "").join("\n");
  return text === "" ? {} : { quoted: { text, messageId: answered.id } };
}

/** Its own, and those of what is forwarded in it. */
export function filesIn({ attachments, message_snapshots: snapshots }: NativeMessage): APIAttachment[] {
  return [...(attachments ?? []), ...(snapshots ?? []).flatMap(({ message }) => message.attachments ?? [])];
}

function attachmentOf(file: APIAttachment, messageFlags: number): Attachment {
  const mimeType = file.content_type?.split(";", 1)[0]?.trim();
  const voice = (messageFlags & FLAG_VOICE) !== 0;
  return {
    kind: voice ? "audio" : kindOf(mimeType),
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
  if (interaction.type !== INTERACTION_COMMAND || !user) return undefined;
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

/** Subcommands are words of their own. */
function valuesOf(options: readonly CommandOption[] = []): string[] {
  return options.flatMap(({ name, value, options: inner }) =>
    value === undefined ? [name, ...valuesOf(inner)] : [String(value).trim()],
  );
}

/** The channel as the interaction itself tells it; nobody has to be asked. */
export function channelOf(interaction: APIInteraction): ChannelInfo | undefined {
  const channel = interaction.channel as
    | { id: string; type?: number; name?: string | null; topic?: string | null; parent_id?: string | null }
    | undefined;
  if (!channel) return undefined;
  const thread = isThreadType(channel.type);
  return {
    id: channel.id,
    kind: channel.type === CHANNEL_TYPE.dm ? "dm" : thread ? "thread" : "group",
    name: channel.name ?? null,
    topic: channel.topic ?? null,
    parentId: thread ? (channel.parent_id ?? null) : null,
    guildId: interaction.guild_id ?? null,
    withBot: false,
  };
}
