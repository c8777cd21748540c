/** The world → the JSON of Discord's API and gateway. */
import * as errors from "./errors.js";
import type { Channel, Guild, Message, StoredFile, User, World } from "./world.js";

export type Json = Record<string, unknown>;

export function userPayload(user: User): Json {
  return {
    id: user.id,
    username: user.name.toLowerCase(),
    global_name: user.name,
    discriminator: "0",
    avatar: null,
    bot: user.bot,
    public_flags: 0,
    flags: 0,
    primary_guild: null,
  };
}

export function channelPayload(channel: Channel, botId: string): Json {
  const { id, type, name, topic, lastMessageId } = channel;
  const common = { id, type, flags: 0, last_message_id: lastMessageId };
  if (channel.recipientId) return { ...common, recipients: [{ id: channel.recipientId }] };
  const inGuild = { ...common, guild_id: channel.guildId, name, topic, parent_id: channel.parentId };
  if (type < 10 || type > 12) return { ...inGuild, position: 0, permission_overwrites: [] };
  return {
    ...inGuild,
    owner_id: channel.ownerId,
    message_count: 0,
    member_count: channel.members.size,
    total_message_sent: 0,
    thread_metadata: {
      ...{ archived: channel.archived, locked: channel.locked, auto_archive_duration: 1440 },
      archive_timestamp: new Date(0).toISOString(),
    },
    ...(channel.members.has(botId) ? { member: { id, user_id: botId, flags: 0 } } : {}),
  };
}

export function guildPayload(world: World, guild: Guild, botId: string): Json {
  const channels = [...world.channels.values()].filter(({ guildId }) => guildId === guild.id);
  return {
    id: guild.id,
    name: guild.name,
    unavailable: false,
    owner_id: guild.id,
    joined_at: new Date(guild.joinedAtMs).toISOString(),
    roles: [
      { id: guild.id, name: "@everyone" },
      { id: guild.botRoleId, name: "Hermes", managed: true, tags: { bot_id: botId } },
    ],
    members: [{ user: { id: botId }, roles: [guild.botRoleId] }],
    channels: channels.filter((c) => !world.isThread(c)).map((c) => channelPayload(c, botId)),
    threads: channels.filter((c) => world.isThread(c) && !c.archived).map((c) => channelPayload(c, botId)),
  };
}

export function memberPayload(world: World, userId: string): Json {
  const user = world.users.get(userId);
  if (!user) throw errors.unknownRoute();
  return { user: userPayload(user), roles: user.roles, nick: null };
}

export interface PayloadOptions {
  baseUrl: string;
  /** A message contains its server's id in gateway events, but not over REST. */
  forGateway: boolean;
}

export function messagePayload(world: World, message: Message, options: PayloadOptions): Json {
  const author = world.users.get(message.authorId)!;
  const channel = world.channels.get(message.channelId);
  const inGuild = channel?.guildId && options.forGateway;
  const files = message.files.map((file) => filePayload(file, message, options.baseUrl));
  return {
    id: message.id,
    channel_id: message.channelId,
    author: userPayload(author),
    content: message.content,
    timestamp: new Date(message.sentAtMs).toISOString(),
    edited_timestamp: message.editedAtMs === null ? null : new Date(message.editedAtMs).toISOString(),
    tts: false,
    mention_everyone: message.content.includes("@everyone"),
    mentions: mentionsOf(world, message),
    mention_roles: [...message.content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id),
    attachments: message.forwarded === null ? files : [],
    embeds: [],
    components: message.buttons.map((components) => ({ type: 1, components })),
    pinned: false,
    type: message.type,
    flags: message.flags,
    ...(message.nonce !== null && options.forGateway ? { nonce: message.nonce } : {}),
    ...(message.webhookId ? { webhook_id: message.webhookId } : {}),
    ...(message.stickers.length > 0
      ? { sticker_items: message.stickers.map((sticker) => ({ ...sticker, format_type: 1 })) }
      : {}),
    ...(message.poll ? { poll: pollPayload(message.poll) } : {}),
    ...referencePayload(world, message, files, options),
    ...(inGuild ? { guild_id: channel.guildId, member: { roles: author.roles, nick: null } } : {}),
    ...(channel && options.forGateway ? { channel_type: channel.type } : {}),
  };
}

function mentionsOf(world: World, message: Message): Json[] {
  const ids = new Set([...message.content.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id!));
  const answered = message.replyTo ? world.find(message.channelId, message.replyTo) : undefined;
  if (answered) ids.add(answered.authorId);
  return [...ids].flatMap((id) => {
    const user = world.users.get(id);
    return user ? [userPayload(user)] : [];
  });
}

function referencePayload(world: World, message: Message, files: Json[], options: PayloadOptions): Json {
  if (message.forwarded !== null) {
    const snapshot = {
      ...{ type: 0, content: message.forwarded, attachments: files, embeds: [], components: [], flags: 0 },
      ...{ mentions: [], mention_roles: [] },
      ...{ timestamp: new Date(message.sentAtMs).toISOString(), edited_timestamp: null },
    };
    return {
      message_reference: { type: 1, channel_id: message.channelId, message_id: message.id },
      message_snapshots: [{ message: snapshot }],
    };
  }
  if (!message.replyTo) return {};
  const answered = world.find(message.channelId, message.replyTo);
  return {
    message_reference: { type: 0, channel_id: message.channelId, message_id: message.replyTo },
    // One level deep only.
    referenced_message: answered ? messagePayload(world, { ...answered, replyTo: null }, options) : null,
  };
}

function filePayload(file: StoredFile, message: Message, baseUrl: string): Json {
  const url = `${baseUrl}/cdn/attachments/${message.channelId}/${file.id}/${encodeURIComponent(file.name)}`;
  const { id, name, contentType, bytes } = file;
  return { id, filename: name, size: bytes.length, content_type: contentType, url, proxy_url: url };
}

function pollPayload({ question, answers }: NonNullable<Message["poll"]>): Json {
  return {
    question: { text: question },
    answers: answers.map((text, i) => ({ answer_id: i + 1, poll_media: { text } })),
    expiry: null,
    allow_multiselect: false,
    layout_type: 1,
  };
}
