/** Gateway events → the inbox, in order within a channel. An event counts as done only when the inbox has it. */
import type { APIInteraction, GatewayDispatchPayload, REST } from "discord.js";
import { ChannelType } from "discord-api-types/v10";
import type { InboundMessage } from "../../message.js";
import { QueueFullError } from "../../serial-queue.js";
import type { AdapterEvents, Cursor } from "../adapter.js";
import type { MediaDownloads } from "../kit/media-download.js";
import { retry } from "../kit/retry.js";
import { CatchUp, type MissedRange } from "./catch-up.js";
import { ChannelQueue } from "./channel-queue.js";
import { type ChannelInfo, Channels, channelKind, type GuildLists } from "./channels.js";
import type { Checkpoint } from "./checkpoint.js";
import type { Settings } from "./config.js";
import { isRefusal } from "./faults.js";
import { cursorNames, idAt, isAfter, timeOf } from "./ids.js";
import type { Interactions } from "./interactions.js";
import type { KnownDms } from "./known-dms.js";
import {
  type Context,
  channelOf,
  filesIn,
  type NativeMessage,
  normaliseCommand,
  normaliseEdit,
  normaliseMessage,
  refOf,
} from "./normalise.js";
import { normalisePress } from "./presses.js";
import type { ResumeState } from "./resume-state.js";

export interface ReceiverParts {
  rest: REST;
  settings: Settings;
  account: string;
  botId: string;
  events: AdapterEvents;
  resumeState: ResumeState;
  dms: KnownDms;
  checkpoint: Checkpoint;
  interactions: Interactions;
  downloads: MediaDownloads | null;
  signal: AbortSignal;
}

/** A server that hasn't come by then has an outage. */
const AWAIT_GUILDS_MS = 60_000;

export class Receiver {
  readonly channels: Channels;
  readonly #parts: ReceiverParts;
  readonly #queue = new ChannelQueue();
  readonly #catchUp: CatchUp;
  /** Servers whose GUILD_CREATE is still to come, after READY or an outage → where catching up with them begins. */
  readonly #awaitedGuilds = new Map<string, string | undefined>();
  #readyAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.channels = new Channels(parts.botId, (id) => parts.rest.get(`/channels/${id}`) as never);
    this.#catchUp = new CatchUp({
      rest: parts.rest,
      settings: parts.settings,
      events: parts.events,
      persist: (work) => this.#persist(work),
      receive: (message) => this.#missedMessage(message),
    });
  }

  dispatch(packet: GatewayDispatchPayload, shardId: number): void {
    const settled = this.#parts.resumeState.begin(shardId, packet.s);
    const jobs = this.#parse(packet);
    const running = jobs.map(({ channelId, work, sinceMs }) => this.#queue.add(channelId, work, sinceMs));
    Promise.all(running).then(
      () => {
        settled();
        if (packet.t === "READY" || packet.t === "GUILD_CREATE") this.#advanceQuietly();
      },
      (error: unknown) => this.#notReceived(error, settled),
    );
  }

  /** An event that isn't settled is replayed after the next start. */
  #notReceived(error: unknown, settled: () => void): void {
    const { settings, signal } = this.#parts;
    if (error instanceof QueueFullError) {
      settings.log("error", "too many Discord events are pending: left one for the next start");
      return;
    }
    this.#failed(error);
    if (!signal.aborted) settled();
  }

  /** An event that can't be parsed would fail again next time: it is logged and skipped, so that it blocks nothing. */
  #parse(packet: GatewayDispatchPayload): Job[] {
    try {
      this.channels.learn(packet);
      return this.#jobsFor(packet);
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }

  /** Moves the checkpoint to the oldest pending event, unless servers are still to report what was missed in them. */
  async advance(): Promise<void> {
    if (this.#awaitedGuilds.size > 0 && performance.now() - this.#readyAtMs < AWAIT_GUILDS_MS) return;
    await this.#parts.checkpoint.advance(this.#queue.oldestMs);
  }

  #advanceQuietly(): void {
    this.advance().catch((error: unknown) => this.#failed(error));
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #failed(error: unknown): void {
    if (this.#parts.signal.aborted) return;
    this.#parts.settings.log("error", "skipped an event from Discord that can't be processed", {
      err: error,
    });
  }

  #jobsFor(packet: GatewayDispatchPayload): Job[] {
    switch (packet.t) {
      case "READY":
        this.#readyAtMs = performance.now();
        for (const { id } of packet.d.guilds) this.#awaitedGuilds.set(id, this.#parts.checkpoint.id);
        return [...this.#missedDms(), job("ready", async () => {})];
      case "GUILD_DELETE":
        if (packet.d.unavailable) this.#awaitedGuilds.set(packet.d.id, this.#parts.checkpoint.id);
        return [];
      case "GUILD_CREATE":
        return this.#missedIn(packet.d as unknown as GuildLists & { id: string });
      case "MESSAGE_CREATE":
        return this.#messageJobs(packet.d as NativeMessage);
      case "MESSAGE_UPDATE":
        return [job(packet.d.channel_id, () => this.#edit(packet.d as NativeMessage))];
      case "MESSAGE_DELETE":
        return [job(packet.d.channel_id, () => this.#delete(packet.d, [packet.d.id]))];
      case "MESSAGE_DELETE_BULK":
        return [job(packet.d.channel_id, () => this.#delete(packet.d, packet.d.ids))];
      case "INTERACTION_CREATE":
        return this.#interactionJobs(packet.d as APIInteraction);
      default:
        return [];
    }
  }

  // ── messages ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #messageJobs(message: NativeMessage): Job[] {
    const own = message.author.id === this.#parts.botId;
    // In order: messages before this one were not yet in a thread with the bot.
    const tookPart = async () => this.channels.tookPart(message.channel_id);
    return [job(message.channel_id, own ? tookPart : () => this.#message(message))];
  }

  async #message(raw: NativeMessage): Promise<void> {
    const context = await this.#contextOf(raw);
    const message = normaliseMessage(raw, context);
    if (!message) return;
    if (context.channel.kind === "dm") await this.#persist(() => this.#parts.dms.add(raw.channel_id));
    const attachments = await this.#persist(() => this.#download(raw, message));
    const cursor = { name: cursorNames.channel(raw.channel_id), value: raw.id };
    await this.#receive({ ...message, attachments }, cursor);
  }

  async #download(raw: NativeMessage, message: InboundMessage): Promise<InboundMessage["attachments"]> {
    const { downloads, signal } = this.#parts;
    if (!downloads) return message.attachments;
    const urls = filesIn(raw).map(({ url }) => url);
    const files = message.attachments.map((attachment, i) => ({
      attachment,
      locate: () => ({ url: urls[i]! }),
    }));
    return downloads.fetchAll(message, files, signal);
  }

  /** A message that can't be processed must not block later ones. */
  async #missedMessage(raw: NativeMessage): Promise<void> {
    try {
      await this.#message(await this.#withRoles(raw));
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      this.#failed(error);
    }
  }

  /** Messages from the history don't contain their author's roles. */
  async #withRoles(raw: NativeMessage): Promise<NativeMessage> {
    const { rest, settings } = this.#parts;
    const { guild_id: guildId, author } = raw;
    if (!settings.rolesMatter || raw.member || !guildId || author.bot || raw.webhook_id) return raw;
    return this.#persist(async () => {
      try {
        const member = await rest.get(`/guilds/${guildId}/members/${author.id}`);
        return { ...raw, member: member as NonNullable<NativeMessage["member"]> };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return raw;
      }
    });
  }

  /** Discord delivers once, so we retry until the inbox has it. */
  #receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    return this.#persist(() => this.#parts.events.receive(message, cursor));
  }

  async #edit(raw: NativeMessage): Promise<void> {
    if (!raw.author || !raw.edited_timestamp || raw.author.id === this.#parts.botId) return;
    const edit = normaliseEdit(raw, await this.#contextOf(raw));
    if (edit) await this.#persist(() => this.#parts.events.edited(edit));
  }

  async #delete(from: { channel_id: string; guild_id?: string }, ids: readonly string[]): Promise<void> {
    const { account, settings, events } = this.#parts;
    const channel = await this.#channelOf(from);
    for (const id of ids) {
      const ref = refOf({ account, channel, replyInThread: settings.replyInThread }, id);
      await this.#persist(() => events.deleted(ref));
    }
  }

  // ── commands, buttons ─────────────────────────────────────────────────────────────────────────────────────────────

  #interactionJobs(interaction: APIInteraction): Job[] {
    const channel = channelOf(interaction);
    if (!channel) return [];
    const context = this.#context(this.channels.known(channel.id) ?? channel);
    const press = normalisePress(interaction, context);
    // Not behind the channel's messages, whose files may be slow: Discord allows three seconds.
    if (press) return [job(`press:${channel.id}`, () => this.#press(interaction, press))];
    return this.#commandJobs(interaction, context);
  }

  async #press(interaction: APIInteraction, message: InboundMessage): Promise<void> {
    await this.#receive(message);
    // The press counts even if this fails or comes too late.
    void this.#parts.interactions.acknowledgePress(interaction);
  }

  /** Discord allows three seconds: "is thinking" is shown at once. */
  #commandJobs(interaction: APIInteraction, context: Context): Job[] {
    const message = normaliseCommand(interaction, context);
    if (!message) return [];
    const deferred = this.#parts.interactions.defer(interaction);
    const { id } = context.channel;
    return [job(id, async () => this.#command(interaction, message, await deferred))];
  }

  async #command(interaction: APIInteraction, message: InboundMessage, inTime: boolean): Promise<void> {
    if (!inTime) {
      this.#parts.settings.log("warn", "a slash command came too late and was not executed", {
        eventId: message.eventId,
      });
      return;
    }
    await this.#persist(() => this.#parts.interactions.remember(interaction));
    await this.#receive(message);
  }

  // ── missed messages ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Newer events queue behind these, channel by channel. */
  #missedDms(): Job[] {
    const since = this.#parts.checkpoint.id;
    if (since === undefined || !this.#catchesUp) return [];
    return this.#parts.dms.list().map((channelId) => this.#missedJob({ channelId, guildId: null, since }));
  }

  /**
   * A server that wasn't awaited has just added the bot (nothing was missed), or the last process crashed before it had caught
   * up with it and the resume replays the event.
   */
  #missedIn(guild: GuildLists & { id: string }): Job[] {
    const since = this.#awaitedGuilds.get(guild.id) ?? this.#parts.checkpoint.id;
    this.#awaitedGuilds.delete(guild.id);
    const done = job("ready", async () => {});
    if (since === undefined || !this.#catchesUp) return [done];
    const joined = guild.joined_at ? { notBefore: idAt(Date.parse(guild.joined_at)) } : {};
    const overlapped = idAt(timeOf(since) - this.#parts.settings.timing.overlapMs);
    const missed = [...(guild.channels ?? []), ...(guild.threads ?? [])]
      .filter(({ last_message_id: last }) => last && isAfter(last, overlapped))
      .map(({ id }) => this.#missedJob({ channelId: id, guildId: guild.id, since, ...joined }));
    return [...missed, done];
  }

  get #catchesUp(): boolean {
    return this.#parts.settings.catchUpMaxAgeSeconds > 0;
  }

  /** Until it is done, the checkpoint stays where catching up began. */
  #missedJob(missed: MissedRange): Job {
    return { ...job(missed.channelId, () => this.#catchUp.run(missed)), sinceMs: timeOf(missed.since) };
  }

  // ── context ───────────────────────────────────────────────────────────────────────────────────────────────────────

  async #contextOf(message: NativeMessage & { channel_type?: number }): Promise<Context> {
    return this.#context(await this.#channelOf(message));
  }

  #context(channel: ChannelInfo): Context {
    const { account, botId, settings } = this.#parts;
    return {
      account,
      botId,
      botRoleId: this.channels.botRoleIn(channel.guildId),
      channelName: (id) => this.channels.known(id)?.name ?? null,
      channel,
      chatName: this.channels.titleOf(channel),
      replyInThread: settings.replyInThread,
    };
  }

  #channelOf(from: { channel_id: string; guild_id?: string; channel_type?: number }): Promise<ChannelInfo> {
    const { channel_id: id, guild_id: guildId = null } = from;
    const known = this.channels.known(id);
    if (known) return Promise.resolve(known);
    if (from.channel_type === ChannelType.DM) return Promise.resolve(this.channels.rememberDm(id));
    return this.#persist(async () => {
      try {
        return await this.channels.find(id, guildId);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return guessChannel(id, guildId, from.channel_type);
      }
    });
  }

  #persist<T>(work: () => Promise<T>): Promise<T> {
    const { signal, settings } = this.#parts;
    return retry(work, {
      backoff: settings.timing.receiveRetry,
      signal,
      onFailure: (error, failures) => {
        const fields = { err: error, failures };
        settings.log("warn", "an event from Discord is not in the inbox yet: retrying", fields);
      },
    });
  }
}

interface Job {
  channelId: string;
  work: () => Promise<void>;
  /** When the oldest event that it receives happened; left out: now. */
  sinceMs?: number;
}

function job(channelId: string, work: () => Promise<void>): Job {
  return { channelId, work };
}

/** For a channel that the bot can't read any more: made from the event alone. */
function guessChannel(id: string, guildId: string | null, type: number | undefined): ChannelInfo {
  const kind = guildId === null ? "dm" : channelKind(type);
  return { id, kind, name: null, topic: null, parentId: null, guildId, withBot: false };
}
