import type { Adapter } from "../../src/adapters/adapter.js";
import { discordAdapter } from "../../src/adapters/discord/index.js";
import { CHANNEL, DiscordEmulator } from "../emulators/discord/index.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

type Channel = ReturnType<DiscordEmulator["dm"]>;
type Message = ReturnType<DiscordEmulator["say"]>;

const POST = /^\/channels\/\d+\/messages$/;

class DiscordStage implements Stage {
  readonly #discord: DiscordEmulator;
  readonly #places = new Map<string, Place & { channel: Channel }>();
  readonly #adapters: Adapter[] = [];
  readonly #hasty: boolean;
  readonly #token: string;
  readonly #ann: ReturnType<DiscordEmulator["user"]>;
  readonly #ben: ReturnType<DiscordEmulator["user"]>;
  readonly log: string[] = [];

  constructor(discord: DiscordEmulator, { hasty }: OpenOptions) {
    this.#discord = discord;
    this.#hasty = hasty;
    this.#token = discord.token;
    this.#ann = discord.user("Ann");
    this.#ben = discord.user("Ben");
    this.#furnish();
  }

  get secrets(): string[] {
    return [this.#token, "x".repeat(27)];
  }

  adapter(): Adapter {
    const limitMs = this.#hasty ? 300 : 3000;
    const adapter = discordAdapter({
      token: this.#token,
      apiUrl: this.#discord.apiUrl,
      log: (level, message, fields = {}) => this.log.push(`${level}: ${message} ${JSON.stringify(fields)}`),
      timing: {
        requestTimeoutMs: limitMs,
        helloTimeoutMs: limitMs,
        reconnect: { firstMs: 20, maxMs: 200 },
        identifyEveryMs: 0,
        receiveRetry: { firstMs: 10, maxMs: 30_000 },
        saveSessionMs: 5,
        overlapMs: 1000,
      },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place(kind: string): Place {
    return this.#places.get(kind)!;
  }

  #furnish(): void {
    const guild = this.#discord.guild("Server");
    const general = this.#discord.channel(guild, "general");
    const forum = this.#discord.channel(guild, "help", CHANNEL.forum);
    const group = { chatType: "group", threadId: null, guildId: guild.id };
    this.#add("direct message", this.#discord.dm(this.#ann), { chatType: "dm", threadId: null });
    this.#add("channel", general, group);
    this.#add("announcement channel", this.#discord.channel(guild, "news", CHANNEL.announcement), group);
    for (const [kind, parent] of [["thread", general] as const, ["forum post", forum] as const]) {
      const thread = this.#discord.thread(parent, kind, this.#ann);
      this.#add(kind, thread, { chatType: "thread", threadId: thread.id, parentChatId: parent.id });
    }
  }

  #add(kind: string, channel: Channel, origin: Place["origin"]): void {
    const discord = this.#discord;
    let last: Message | undefined;
    this.#places.set(kind, {
      channel,
      origin: { chatId: channel.id, userId: this.#ann.id, userName: "Ann", ...origin },
      say: (text) => {
        const words = channel.type === CHANNEL.dm ? text : `<@${discord.botId}> ${text}`;
        last = discord.say(this.#ann, channel, words);
      },
      seen: () =>
        discord.said(channel).map(({ id, text, replyTo, buttons }) => ({ id, text, replyTo, buttons })),
      edit: (text) => discord.edit(last!, text),
      remove: () => discord.remove(last!),
      press: ({ id }, label, who) => {
        const person = who === undefined ? this.#ann : this.#ben;
        discord.press(person, channel, id, label);
        return person.id;
      },
    });
  }

  listeners = () => this.#discord.gateway.sockets;
  requests = () => this.#discord.rest.calls.length + this.#discord.connectAttempts;
  posts = () =>
    this.#discord.rest.calls.filter(({ method, path }) => method === "POST" && POST.test(path)).length;
  acknowledged = () => true;
  reactions = () => [...this.#discord.reactions].map((key) => key.split(" ")[1]!);
  typing = () => this.#discord.typing.length;
  menu = () => this.#discord.commands.map(({ name }) => String(name));
  previews = never;
  pressesAcknowledged = () =>
    [...this.#discord.interactions.all.values()].filter(
      ({ pressedOn, acknowledgedAfterMs }) => pressedOn !== null && acknowledgedAfterMs !== null,
    ).length;

  repeat(): void {
    this.#discord.faults.duplicateEvents = true;
  }

  babble(): void {
    const { gateway } = this.#discord;
    gateway.dispatch("SOMETHING_NEW", { what: "ever" });
    gateway.dispatch("MESSAGE_CREATE", { id: "1", channel_id: "2", author: { id: "3" }, type: 77 });
    gateway.dispatch("MESSAGE_CREATE", { id: "4", channel_id: "5" });
    gateway.dispatch("MESSAGE_CREATE", { id: "9", channel_id: "5", author: { id: "3" }, type: 0 });
    gateway.dispatch("MESSAGE_UPDATE", { id: "6", channel_id: "7" });
    gateway.dispatch("INTERACTION_CREATE", { id: "8", type: 99, token: "t" });
    const channel = { id: "5", type: 1 };
    for (const data of [{}, { custom_id: 7 }, { custom_id: "q:a:b" }])
      gateway.dispatch("INTERACTION_CREATE", {
        id: "8",
        type: 3,
        token: "t",
        channel,
        data,
        user: { id: "3" },
      });
  }

  pick(kind: string, command: string): void {
    this.#discord.command(this.#ann, this.#places.get(kind)!.channel, command);
  }

  refuse(): void {
    for (const { channel } of this.#places.values()) channel.access = "read";
  }

  limit = (seconds: number) =>
    this.#discord.faults.arm("POST", POST, { kind: "rate_limit", retryAfterSeconds: seconds });
  drop = () => this.#discord.faults.arm("POST", POST, { kind: "drop_after" });
  stall = () => this.#discord.faults.arm("POST", POST, { kind: "delay", ms: 900 });
  startSlowly = () => this.#discord.faults.arm("GET", /^\/gateway\/bot$/, { kind: "delay", ms: 300 });
  goDown = () => this.#discord.close();
  comeBack = () => this.#discord.start();
  revokeToken = () => this.#discord.revokeToken();

  fallSilent(): void {
    this.#discord.faults.silent = true;
  }

  speakAgain(): void {
    this.#discord.faults.silent = false;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.#discord.close();
  }
}

const discord: Platform = {
  name: "discord",
  kinds: ["direct message", "channel", "announcement channel", "thread", "forum post"],
  can: ["stream", "type", "look up", "register commands", "ask", "react"],
  lacks: { acknowledgement: "Discord wants none: a cursor moves with the message instead" },
  open: async (options) => {
    const heartbeatMs = options.hasty ? 60 : 200;
    const emulator = new DiscordEmulator({ heartbeatMs, messageLimit: { count: 50, perMs: 1000 } });
    await emulator.start();
    return new DiscordStage(emulator, options);
  },
};

adapterContract(discord);
