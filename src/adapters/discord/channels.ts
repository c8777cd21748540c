/** What is known about channels: from gateway events, else fetched once over REST. */
import type { APIChannel, APIGuild, APIRole, GatewayDispatchPayload } from "discord.js";
import { ChannelType } from "discord-api-types/v10";
import { BoundedMap } from "../../bounded-map.js";

export interface ChannelInfo {
  id: string;
  kind: "dm" | "group" | "thread";
  name: string | null;
  topic: string | null;
  parentId: string | null;
  guildId: string | null;
  /** A thread in which the bot has taken part. */
  withBot: boolean;
  /** Voice and stage channels: people write in them, but threads can't be opened. */
  threadless?: true;
}

/** The fields of a channel that are read here; Discord sends several shapes. */
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

const MAX_CHANNELS = 20_000;
const MAX_GUILDS = 5000;

const THREAD_TYPES: readonly (number | undefined)[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];
const VOICE_TYPES: readonly number[] = [ChannelType.GuildVoice, ChannelType.GuildStageVoice];

export function channelKind(type: number | undefined): ChannelInfo["kind"] {
  if (type === ChannelType.DM) return "dm";
  return THREAD_TYPES.includes(type) ? "thread" : "group";
}

export class Channels {
  readonly #botId: string;
  readonly #fetch: (id: string) => Promise<APIChannel>;
  readonly #known = new BoundedMap<string, ChannelInfo>(MAX_CHANNELS);
  /** Server → the role that Discord created for the bot: people mention it by mistake. */
  readonly #botRoles = new BoundedMap<string, string>(MAX_GUILDS);
  readonly #guildNames = new BoundedMap<string, string>(MAX_GUILDS);

  constructor(botId: string, fetch: (id: string) => Promise<APIChannel>) {
    this.#botId = botId;
    this.#fetch = fetch;
  }

  /** Learns from a gateway event. */
  learn(packet: GatewayDispatchPayload): void {
    switch (packet.t) {
      case "GUILD_CREATE":
        this.#learnGuild(packet.d as unknown as APIGuild & GuildLists);
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

  /** A direct-message channel is described by its id alone. */
  rememberDm(id: string): ChannelInfo {
    return this.#known.get(id) ?? this.#remember({ id, type: ChannelType.DM });
  }

  /** The bot wrote in it. */
  tookPart(id: string): void {
    const known = this.#known.get(id);
    if (known?.kind === "thread") known.withBot = true;
  }

  botRoleIn(guildId: string | null): string | null {
    return guildId === null ? null : (this.#botRoles.get(guildId) ?? null);
  }

  /** "Server / #channel", as far as known. */
  titleOf({ kind, name, guildId }: ChannelInfo): string | null {
    if (name === null) return null;
    const own = kind === "group" ? `#${name}` : name;
    const guild = guildId === null ? undefined : this.#guildNames.get(guildId);
    return guild === undefined ? own : `${guild} / ${own}`;
  }

  #learnGuild(guild: APIGuild & GuildLists): void {
    if (guild.name) this.#guildNames.set(guild.id, guild.name);
    const role = (guild.roles as APIRole[] | undefined)?.find(({ tags }) => tags?.bot_id === this.#botId);
    if (role) this.#botRoles.set(guild.id, role.id);
    for (const channel of [...(guild.channels ?? []), ...(guild.threads ?? [])]) {
      this.#remember(channel, guild.id);
    }
  }

  #remember(raw: RawChannel, guildId?: string): ChannelInfo {
    const kind = channelKind(raw.type);
    const isThread = kind === "thread";
    const before = this.#known.get(raw.id);
    const info: ChannelInfo = {
      id: raw.id,
      kind,
      name: raw.name ?? null,
      topic: raw.topic ?? null,
      parentId: isThread ? (raw.parent_id ?? null) : null,
      guildId: raw.guild_id ?? guildId ?? null,
      withBot: isThread && (before?.withBot || raw.owner_id === this.#botId || raw.member !== undefined),
      ...(VOICE_TYPES.includes(raw.type) ? { threadless: true } : {}),
    };
    this.#known.set(raw.id, info);
    return info;
  }
}

export interface GuildLists {
  channels?: (RawChannel & { last_message_id?: string | null })[];
  threads?: (RawChannel & { last_message_id?: string | null })[];
  joined_at?: string;
}
