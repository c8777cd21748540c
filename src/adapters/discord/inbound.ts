/** Gateway events → the inbox, in order within a channel; nothing is passed over before the inbox has it. */
import type { APIInteraction, GatewayDispatchPayload, REST } from "discord.js";
import type { InboundMessage } from "../../message.js";
import type { AdapterEvents, Cursor } from "../adapter.js";
import { CatchUp, type Missed } from "./catch-up.js";
import { type ChannelInfo, Channels, type GuildLists } from "./channels.js";
import type { Settings } from "./config.js";
import { isRefusal } from "./faults.js";
import { cursorNames, idAt, isAfter, timeOf } from "./ids.js";
import type { Interactions } from "./interactions.js";
import { isThreadType } from "./kinds.js";
import type { KnownDms } from "./known-dms.js";
import { Lanes } from "./lanes.js";
import type { Media } from "./media.js";
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
import type { Seen } from "./seen.js";
import type { Sessions } from "./sessions.js";
import { backoffMs, pause } from "./wait.js";

export interface InboundParts {
  rest: REST;
  settings: Settings;
  account: string;
  botId: string;
  events: AdapterEvents;
  sessions: Sessions;
  dms: KnownDms;
  seen: Seen;
  interactions: Interactions;
  media: Media | null;
  signal: AbortSignal;
}

const RETRY_CAP_MS = 30_000;
/** A server that hasn't come by then has an outage of its own. */
const AWAIT_SERVERS_MS = 60_000;

export class Inbound {
  readonly channels: Channels;
  readonly #parts: InboundParts;
  readonly #lanes = new Lanes();
  readonly #catchUp: CatchUp;
  /** Servers that are yet to come, after READY or an outage of theirs → where catching up with them begins. */
  readonly #awaited = new Map<string, string | undefined>();
  #readyAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: InboundParts) {
    this.#parts = parts;
    this.channels = new Channels(parts.botId, (id) => parts.rest.get(`/channels/${id}`) as never);
    this.#catchUp = new CatchUp({
      rest: parts.rest,
      settings: parts.settings,
      events: parts.events,
      persist: (work) => this.#persist(work),
      receive: (message) => this.#missed(message),
    });
  }

  dispatch(packet: GatewayDispatchPayload, shardId: number): void {
    const settled = this.#parts.sessions.passed(shardId, packet.s);
    const jobs = this.#understood(packet);
    if (jobs.length === 0) {
      settled();
      return;
    }
    const running = jobs.map(({ lane, work, sinceMs }) => this.#lanes.add(lane, work, sinceMs));
    if (running.includes(undefined)) {
      // Left open: the next start resumes before it.
      this.#parts.settings.log(
        "error",
        "too many events wait for the inbox; one was left for the next start",
      );
    }
    // What was cut short stays open, too.
    Promise.all(running).then(
      () => {
        if (running.includes(undefined)) return;
        settled();
        if (packet.t === "READY" || packet.t === "GUILD_CREATE") this.#advanceQuietly();
      },
      (error: unknown) => {
        this.#failed(error);
        if (!this.#parts.signal.aborted) settled();
      },
    );
  }

  /** What can't be understood will not be understood next time either: it must not block the rest. */
  #understood(packet: GatewayDispatchPayload): Job[] {
    try {
      this.channels.heard(packet);
      return this.#jobsFor(packet);
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }

  /** Everything up to now is in the inbox, or waits here; unless a server is still to tell what was missed in it. */
  async advance(): Promise<void> {
    if (this.#awaited.size > 0 && performance.now() - this.#readyAtMs < AWAIT_SERVERS_MS) return;
    await this.#parts.seen.advance(this.#lanes.oldestMs);
  }

  #advanceQuietly(): void {
    this.advance().catch((error: unknown) => this.#failed(error));
  }

  idle(): Promise<void> {
    return this.#lanes.idle();
  }

  #failed(error: unknown): void {
    if (this.#parts.signal.aborted) return;
    this.#parts.settings.log("error", "an event of Discord's was not understood", { err: error });
  }

  #jobsFor(packet: GatewayDispatchPayload): Job[] {
    switch (packet.t) {
      case "READY":
        this.#readyAtMs = performance.now();
        for (const { id } of packet.d.guilds) this.#awaited.set(id, this.#parts.seen.id);
        return [...this.#missedDms(), job("ready", async () => {})];
      case "GUILD_DELETE":
        if (packet.d.unavailable) this.#awaited.set(packet.d.id, this.#parts.seen.id);
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
        return this.#commandJobs(packet.d as APIInteraction);
      default:
        return [];
    }
  }

  // ── messages ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #messageJobs(message: NativeMessage): Job[] {
    const own = message.author.id === this.#parts.botId;
    // In its turn: what was said before is not yet said in a thread with the bot.
    const tookPart = async () => this.channels.tookPart(message.channel_id);
    return [job(message.channel_id, own ? tookPart : () => this.#message(message))];
  }

  async #message(raw: NativeMessage): Promise<void> {
    const context = await this.#contextOf(raw);
    const message = normaliseMessage(raw, context);
    if (!message) return;
    if (context.channel.kind === "dm") await this.#persist(() => this.#parts.dms.add(raw.channel_id));
    const { media, signal } = this.#parts;
    const urls = filesIn(raw).map(({ url }) => url);
    const attachments = media
      ? await this.#persist(() => media.fetch(message, urls, signal))
      : message.attachments;
    const cursor = { name: cursorNames.channel(raw.channel_id), value: raw.id };
    await this.#receive({ ...message, attachments }, cursor);
  }

  /** One that nobody understands must not hide those after it. */
  async #missed(raw: NativeMessage): Promise<void> {
    try {
      await this.#message(await this.#withRoles(raw));
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      this.#failed(error);
    }
  }

  /** A message from the history says nothing about its author's roles. */
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

  /** Discord delivers once: when the inbox can't take it now, we must ask again. */
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

  // ── commands ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Three seconds: the answer that says "is thinking" waits for nothing. */
  #commandJobs(interaction: APIInteraction): Job[] {
    const channel = channelOf(interaction);
    if (!channel) return [];
    const context = this.#context(this.channels.known(channel.id) ?? channel);
    const message = normaliseCommand(interaction, context);
    if (!message) return [];
    const deferred = this.#parts.interactions.defer(interaction);
    return [job(channel.id, async () => this.#command(interaction, message, await deferred))];
  }

  async #command(interaction: APIInteraction, message: InboundMessage, inTime: boolean): Promise<void> {
    if (!inTime) {
      this.#parts.settings.log("warn", "a slash command came too late and was not carried out", {
        eventId: message.eventId,
      });
      return;
    }
    await this.#persist(() => this.#parts.interactions.remember(interaction));
    await this.#receive(message);
  }

  // ── what was missed ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Events that come after these wait behind them, channel by channel. */
  #missedDms(): Job[] {
    const since = this.#parts.seen.id;
    if (since === undefined || !this.#catchesUp) return [];
    return this.#parts.dms.list().map((channelId) => this.#missedJob({ channelId, guildId: null, since }));
  }

  /**
   * A server that we weren't waiting for has just taken the bot in, and nothing was missed there; or the last start died
   * before it was through with it, and a resume tells of it again.
   */
  #missedIn(guild: GuildLists & { id: string }): Job[] {
    const since = this.#awaited.get(guild.id) ?? this.#parts.seen.id;
    this.#awaited.delete(guild.id);
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

  /** Until it is done, the next start begins where this one began. */
  #missedJob(missed: Missed): Job {
    return { ...job(missed.channelId, () => this.#catchUp.run(missed)), sinceMs: timeOf(missed.since) };
  }

  // ── around it ─────────────────────────────────────────────────────────────────────────────────────────────────────

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
    if (from.channel_type === 1) return Promise.resolve(this.channels.rememberDm(id));
    return this.#persist(async () => {
      try {
        return await this.channels.find(id, guildId);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return guessChannel(id, guildId, from.channel_type);
      }
    });
  }

  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const { signal, settings } = this.#parts;
    for (let failures = 0; ; failures++) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        settings.log("warn", "an event of Discord's could not be handed on yet", { err: error, failures });
        await pause(backoffMs(failures, settings.timing.receiveRetryMs, RETRY_CAP_MS), signal);
      }
    }
  }
}

interface Job {
  lane: string;
  work: () => Promise<void>;
  /** From when that is which it takes in; left out: it has just come. */
  sinceMs?: number;
}

function job(lane: string, work: () => Promise<void>): Job {
  return { lane, work };
}

/** We may not look at it any more; what the event says must do. */
function guessChannel(id: string, guildId: string | null, type: number | undefined): ChannelInfo {
  const kind = guildId === null ? "dm" : isThreadType(type) ? "thread" : "group";
  return { id, kind, name: null, topic: null, parentId: null, guildId, withBot: false };
}
