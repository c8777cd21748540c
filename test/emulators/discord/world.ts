/** Discord's state: users, servers, channels and messages, as a user sees them. */

export const CHANNEL = {
  text: 0,
  dm: 1,
  voice: 2,
  announcement: 5,
  publicThread: 11,
  privateThread: 12,
  forum: 15,
} as const;

const THREADS: readonly number[] = [10, CHANNEL.publicThread, CHANNEL.privateThread];
const DISCORD_EPOCH_MS = 1_420_070_400_000;

export interface User {
  id: string;
  name: string;
  bot: boolean;
  /** Whether the bot may write to them. */
  dmsOpen: boolean;
  /** In every server. */
  roles: string[];
}

export interface Guild {
  id: string;
  name: string;
  /** The role that Discord creates for the bot when it joins. */
  botRoleId: string;
  /** When the bot joined. */
  joinedAtMs: number;
}

export interface Channel {
  id: string;
  type: number;
  guildId: string | null;
  parentId: string | null;
  name: string;
  topic: string | null;
  /** The other side of a direct message. */
  recipientId: string | null;
  ownerId: string | null;
  lastMessageId: string | null;
  /** Thread members. */
  members: Set<string>;
  archived: boolean;
  locked: boolean;
  /** The bot's permissions: all, read only, or none. */
  access: "write" | "read" | "none";
}

export interface StoredFile {
  id: string;
  name: string;
  contentType: string;
  bytes: Buffer;
}

export interface Message {
  id: string;
  channelId: string;
  authorId: string;
  content: string;
  /** Its earlier texts. */
  earlier: string[];
  type: number;
  flags: number;
  sentAtMs: number;
  editedAtMs: number | null;
  deleted: boolean;
  replyTo: string | null;
  /** The text of a forwarded message; the files are that message's. */
  forwarded: string | null;
  files: StoredFile[];
  stickers: { id: string; name: string }[];
  nonce: string | null;
  webhookId: string | null;
  poll: { question: string; answers: string[] } | null;
  /** The buttons below it, row by row. */
  buttons: Button[][];
}

export interface Button {
  type: 2;
  style: number;
  label: string;
  custom_id: string;
}

export class World {
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  readonly messages = new Map<string, Message[]>();
  #lastId = 0n;

  /** Increases with time, like Discord's. */
  newId(atMs = Date.now()): string {
    const wanted = BigInt(Math.max(0, Math.trunc(atMs) - DISCORD_EPOCH_MS)) << 22n;
    if (atMs < Date.now() - 1000) return String(wanted | BigInt(Math.floor(Math.random() * 4_000_000)));
    this.#lastId = wanted > this.#lastId ? wanted : this.#lastId + 1n;
    return String(this.#lastId);
  }

  addUser(name: string, options: Partial<Omit<User, "name">> = {}): User {
    const user = { id: this.newId(), bot: false, dmsOpen: true, roles: [], ...options, name };
    this.users.set(user.id, user);
    return user;
  }

  addGuild(name: string): Guild {
    const guild = { id: this.newId(), name, botRoleId: this.newId(), joinedAtMs: Date.now() };
    this.guilds.set(guild.id, guild);
    return guild;
  }

  addChannel(fields: Partial<Channel> & Pick<Channel, "type">): Channel {
    const channel: Channel = {
      id: this.newId(),
      guildId: null,
      parentId: null,
      name: "",
      topic: null,
      recipientId: null,
      ownerId: null,
      lastMessageId: null,
      members: new Set(),
      archived: false,
      locked: false,
      access: "write",
      ...fields,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  dmWith(userId: string): Channel {
    for (const channel of this.channels.values()) if (channel.recipientId === userId) return channel;
    return this.addChannel({ type: CHANNEL.dm, recipientId: userId });
  }

  addMessage(fields: Partial<Message> & Pick<Message, "channelId" | "authorId" | "content">): Message {
    const sentAtMs = fields.sentAtMs ?? Date.now();
    const message: Message = {
      id: this.newId(sentAtMs),
      earlier: [],
      type: fields.replyTo ? 19 : 0,
      flags: 0,
      editedAtMs: null,
      deleted: false,
      replyTo: null,
      forwarded: null,
      files: [],
      stickers: [],
      nonce: null,
      webhookId: null,
      poll: null,
      buttons: [],
      ...fields,
      sentAtMs,
    };
    const log = this.messages.get(message.channelId) ?? [];
    log.push(message);
    this.messages.set(message.channelId, log);
    const channel = this.channels.get(message.channelId);
    if (channel) channel.lastMessageId = message.id;
    return message;
  }

  edit(message: Message, content: string): void {
    message.earlier.push(message.content);
    message.content = content;
    message.editedAtMs = Date.now();
  }

  find(channelId: string, messageId: string): Message | undefined {
    return this.messages.get(channelId)?.find(({ id, deleted }) => id === messageId && !deleted);
  }

  /** Readable messages, oldest first. */
  visible(channelId: string): Message[] {
    return (this.messages.get(channelId) ?? [])
      .filter(({ deleted }) => !deleted)
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  }

  isThread(channel: Channel): boolean {
    return THREADS.includes(channel.type);
  }
}
