/** The people in the chats: their actions and what they see. */
import type { EmulatorCore } from "./core.js";
import type { Interaction, Interactions } from "./interactions.js";
import { channelPayload, guildPayload } from "./payloads.js";
import { CHANNEL, type Channel, type Guild, type Message, type User } from "./world.js";

export interface Seen {
  id: string;
  from: string;
  text: string;
  /** Its earlier texts. */
  earlier: string[];
  replyTo: string | null;
  deleted: boolean;
  files: { name: string; bytes: number; contentType: string }[];
  /** The bot "is thinking". */
  loading: boolean;
  /** The labels of its buttons. */
  buttons: string[];
}

export type Say = Partial<
  Pick<Message, "replyTo" | "forwarded" | "stickers" | "poll" | "sentAtMs" | "type" | "flags" | "webhookId">
> & { files?: { name: string; contentType: string; bytes: Buffer }[] };

export class Driver {
  readonly core: EmulatorCore;
  readonly #interactions: Interactions;

  constructor(core: EmulatorCore, interactions: Interactions) {
    this.core = core;
    this.#interactions = interactions;
  }

  get botId(): string {
    return this.core.bot.id;
  }

  get commands() {
    return this.core.commands;
  }

  get typing(): readonly string[] {
    return this.core.typing;
  }

  get reactions(): ReadonlySet<string> {
    return this.core.reactions;
  }

  user(name: string, options: { bot?: boolean; roles?: string[] } = {}): User {
    return this.core.world.addUser(name, options);
  }

  /** A server that the bot is in. */
  guild(name: string): Guild {
    const guild = this.core.world.addGuild(name);
    this.core.gateway.dispatch("GUILD_CREATE", guildPayload(this.core.world, guild, this.botId));
    return guild;
  }

  channel(guild: Guild, name: string, type: number = CHANNEL.text): Channel {
    const channel = this.core.world.addChannel({ type, guildId: guild.id, name });
    this.core.gateway.dispatch("CHANNEL_CREATE", channelPayload(channel, this.botId));
    return channel;
  }

  /** A thread in a channel, or a post in a forum. */
  thread(parent: Channel, name: string, owner: User, id?: string): Channel {
    const thread = this.core.world.addChannel({
      ...(id === undefined ? {} : { id }),
      type: CHANNEL.publicThread,
      guildId: parent.guildId,
      parentId: parent.id,
      name,
      ownerId: owner.id,
      members: new Set([owner.id]),
    });
    this.core.gateway.dispatch("THREAD_CREATE", channelPayload(thread, this.botId));
    return thread;
  }

  dm(user: User): Channel {
    return this.core.world.dmWith(user.id);
  }

  say(user: User, channel: Channel, content: string, { files = [], ...fields }: Say = {}): Message {
    return this.core.say({
      channelId: channel.id,
      authorId: user.id,
      content,
      ...fields,
      files: files.map((file) => ({ ...file, id: this.core.world.newId() })),
    });
  }

  edit(message: Message, content: string): void {
    this.core.edit(message, content);
  }

  remove(message: Message): void {
    this.core.remove(message);
  }

  /** `/name args`, with the arguments as its one option. */
  command(user: User, channel: Channel, name: string, args?: string): Interaction {
    const options = args === undefined ? [] : [{ name: "args", type: 3, value: args }];
    return this.#interactions.ask(user, channel, name, options);
  }

  /** A button by its label or its id. Throws if the message has no such button. */
  press(user: User, channel: Channel, messageId: string, button: string): Interaction {
    const message = this.core.world.find(channel.id, messageId);
    if (!message) throw new Error(`There is no message ${messageId}`);
    return this.#interactions.press(user, channel, message, button);
  }

  /** The chat as people see it, oldest first; deleted messages are included and marked. */
  chat(channel: Pick<Channel, "id">): Seen[] {
    return (this.core.world.messages.get(channel.id) ?? []).map((message) => ({
      id: message.id,
      from: this.core.world.users.get(message.authorId)!.name,
      text: message.content,
      earlier: message.earlier,
      replyTo: message.replyTo,
      deleted: message.deleted,
      files: message.files.map(({ name, bytes, contentType }) => ({
        name,
        bytes: bytes.length,
        contentType,
      })),
      loading: (message.flags & (1 << 7)) !== 0,
      buttons: message.buttons.flat().map(({ label }) => label),
    }));
  }

  /** The bot's messages there. */
  said(channel: Pick<Channel, "id">): Seen[] {
    return this.chat(channel).filter(({ from, deleted }) => from === this.core.bot.name && !deleted);
  }
}
