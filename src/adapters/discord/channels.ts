/** What we know about channels: from the gateway as it tells, else asked once over REST. Bounded. */
import type { APIChannel, APIGuild, APIRole, GatewayDispatchPayload } from "discord.js";
import { CHANNEL_TYPE, isThreadType, isVoiceType } from "./kinds.js";

export interface ChannelInfo {
  id: string;
  kind: "dm" | "group" | "thread";
  name: string | null;
  topic: string | null;
  parentId: string | null;
  guildId: string | null;
  /** A thread in which the bot has taken part. */
  withBot: boolean;
  /** No thread can be opened in it. */
  threadless?: true;
}

/** The parts of a channel that are read here, in whichever shape Discord sends it. */
interface RawChannel {
  id: string;
  type: number;
  name?: string | null;
  topic?: string | null;
  parent_id?: string | null;
  guild_id?: string;
  owner_id?: string;
  member?: unknown;
}

const MOST_CHANNELS = 20_000;

export class Channels {
  readonly #botId: string;
  readonly #fetch: (id: string) => Promise<APIChannel>;
  readonly #known = new Map<string, ChannelInfo>();
  /** Server → the role that Discord made for the bot: people mention it by mistake. */
  readonly #botRoles = new Map<string, string>();
  readonly #guildNames = new Map<string, string>();

  constructor(botId: string, fetch: (id: string) => Promise<APIChannel>) {
    this.#botId = botId;
    this.#fetch = fetch;
  }

  /** Learns from what the gateway tells. */
  heard(packet: GatewayDispatchPayload): void {
    switch (packet.t) {
      case "GUILD_CREATE":
        this.#heardGuild(packet.d as unknown as APIGuild & GuildLists);
        return;
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        this.#remember(packet.d as unknown as RawChannel);
        return;
      case "THREAD_LIST_SYNC":
        for (const thread of packet.d.threads)
          this.#remember(thread as unknown as RawChannel, packet.d.guild_id);
        return;
      case "CHANNEL_DELETE":
      case "THREAD_DELETE":
        this.#known.delete(packet.d.id);
        return;
      case "THREAD_MEMBERS_UPDATE":
        if (packet.d.added_members?.some(({ user_id }) => user_id === this.#botId))
          this.tookPart(packet.d.id);
        return;
      default:
    }
  }

  async find(id: string, guildId: string | null): Promise<ChannelInfo> {
    const known = this.#known.get(id);
    if (known) return known;
    return this.#remember((await this.#fetch(id)) as unknown as RawChannel, guildId ?? undefined);
  }

  known(id: string): ChannelInfo | undefined {
    return this.#known.get(id);
  }

  /** A direct message tells all there is to know. */
  rememberDm(id: string): ChannelInfo {
    return this.#known.get(id) ?? this.#remember({ id, type: CHANNEL_TYPE.dm });
  }

  /** The bot wrote in it. */
  tookPart(id: string): void {
    const known = this.#known.get(id);
    if (known?.kind === "thread") known.withBot = true;
  }

  botRoleIn(guildId: string | null): string | null {
    return guildId === null ? null : (this.#botRoles.get(guildId) ?? null);
  }

  /** "Server / #channel", as far as it is known. */
  titleOf({ kind, name, guildId }: ChannelInfo): string | null {
    if (name === null) return null;
    const own = kind === "group" ? `#${name}` : name;
    const guild = guildId === null ? undefined : this.#guildNames.get(guildId);
    return guild === undefined ? own : `${guild} / ${own}`;
  }

  #heardGuild(guild: APIGuild & GuildLists): void {
    if (guild.name) this.#guildNames.set(guild.id, guild.name);
    const role = (guild.roles as APIRole[] | undefined)?.find(({ tags }) => tags?.bot_id === this.#botId);
    if (role) this.#botRoles.set(guild.id, role.id);
    for (const channel of [...(guild.channels ?? []), ...(guild.threads ?? [])]) {
      this.#remember(channel, guild.id);
    }
  }

  #remember(raw: RawChannel, guildId?: string): ChannelInfo {
    const thread = isThreadType(raw.type);
    const before = this.#known.get(raw.id);
    const info: ChannelInfo = {
      id: raw.id,
      kind: raw.type === CHANNEL_TYPE.dm ? "dm" : thread ? "thread" : "group",
      name: raw.name ?? null,
      topic: raw.topic ?? null,
      parentId: thread ? (raw.parent_id ?? null) : null,
      guildId: raw.guild_id ?? guildId ?? null,
      withBot: thread && (before?.withBot || raw.owner_id === this.#botId || raw.member !== undefined),
      ...(isVoiceType(raw.type) ? { threadless: true } : {}),
    };
    this.#known.delete(raw.id);
    this.#known.set(raw.id, info);
    if (this.#known.size > MOST_CHANNELS) this.#known.delete(this.#known.keys().next().value!);
    return info;
  }
}

export interface GuildLists {
  channels?: (RawChannel & { last_message_id?: string | null })[];
  threads?: (RawChannel & { last_message_id?: string | null })[];
  joined_at?: string;
}
