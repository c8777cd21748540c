/** Chats of every kind that the three platforms have, with people who write and what the bot writes there. */
import { CHANNEL, type DiscordEmulator } from "../../emulators/discord/index.js";
import { type SlackEmulator, visibleText } from "../../emulators/slack/index.js";
import type { EmulatedChat, TelegramEmulator } from "../../emulators/telegram/index.js";
import type { Platforms } from "../../support/platforms.js";

export interface Chat {
  kind: string;
  platform: string;
  chatType: string;
  people: number;
  /** Which conversation of this chat a message belongs to. */
  conversation(person: number, message: number): string;
  say(person: number, text: string): void;
  /** What the bot wrote in exactly this place, in order. */
  said(): string[];
}

type Conversation = Chat["conversation"];
type Makers = Record<string, () => Omit<Chat, "kind" | "platform">>;

const together: Conversation = () => "all";
const apart: Conversation = (person) => `person ${person}`;
const each: Conversation = (person, message) => `person ${person}, message ${message}`;

/** So many chats of each platform, of all its kinds in turn. */
export function makeChats({ telegram, discord, slack }: Platforms, perPlatform: number): Chat[] {
  return [onTelegram(telegram), onDiscord(discord), onSlack(slack)].flatMap((makers) => {
    const kinds = Object.entries(makers);
    return Array.from({ length: perPlatform }, (_, n) => {
      const [kind, make] = kinds[n % kinds.length]!;
      return { kind, platform: kind.split(" ", 1)[0]!.toLowerCase(), ...make() };
    });
  });
}

const REPEAT = "(This may be a repeat.)\n";

function onTelegram(telegram: TelegramEmulator): Makers {
  const { users, chats } = telegram;
  const chat = (
    { id, type }: EmulatedChat,
    people: ReturnType<typeof users.person>[],
    conversation: Conversation,
    topic?: number,
  ) => ({
    chatType: type === "private" ? "dm" : type === "channel" ? "channel" : "group",
    people: Math.max(1, people.length),
    conversation,
    say: (person: number, text: string) => {
      const words = type === "private" ? text : `@hermes_bot ${text}`;
      const where = topic === undefined ? {} : { topic };
      users.write(chats.writable(id), { from: people[person] ?? null, text: words, ...where });
    },
    said: () => {
      const texts = telegram
        .said(id)
        .filter(({ threadId }) => threadId === topic)
        .map(({ text }) => text);
      // A busy machine may lose an answer of Telegram's: then it is said again, and marked.
      const once = texts.filter((text) => !texts.some((first) => text === `${REPEAT}${first}`));
      return once.map((text) => text.replace(REPEAT, ""));
    },
  });
  const two = () => [users.person("Ann"), users.person("Ben")];
  const dm = (inTopic: boolean) => {
    const ann = users.person("Ann");
    const { id } = chats.privateWith(ann);
    return chat(chats.privateWith(ann), [ann], together, inTopic ? chats.topic(id) : undefined);
  };
  const forum = chats.make("supergroup", { forum: true });
  return {
    "Telegram private chat": () => dm(false),
    "Telegram private topic": () => dm(true),
    "Telegram group": () => chat(chats.make("group"), two(), apart),
    "Telegram supergroup": () => chat(chats.make("supergroup"), two(), apart),
    "Telegram forum topic": () => chat(forum, two(), together, chats.topic(forum.id)),
    "Telegram General": () => chat(chats.make("supergroup", { forum: true }), two(), together),
    "Telegram channel": () => chat(chats.make("channel"), [], together),
  };
}

function onDiscord(discord: DiscordEmulator): Makers {
  const guild = discord.guild("Server");
  const parent = discord.channel(guild, "general");
  const forum = discord.channel(guild, "help", CHANNEL.forum);
  const two = () => [discord.user("Ann"), discord.user("Ben")];
  const chat = (channel: ReturnType<typeof discord.dm>, people = two(), conversation = together) => ({
    chatType: channel.type === CHANNEL.dm ? "dm" : channel.parentId === null ? "group" : "thread",
    people: people.length,
    conversation,
    say: (person: number, text: string) => {
      const words = channel.type === CHANNEL.dm ? text : `<@${discord.botId}> ${text}`;
      discord.say(people[person]!, channel, words);
    },
    said: () => discord.said(channel).map(({ text }) => text),
  });
  const thread = (under: typeof parent) => {
    const people = two();
    return chat(discord.thread(under, "a thread", people[0]!), people);
  };
  return {
    "Discord direct message": () => {
      const ann = discord.user("Ann");
      return chat(discord.dm(ann), [ann]);
    },
    "Discord channel": () => chat(discord.channel(guild, "room"), two(), apart),
    "Discord announcements": () => chat(discord.channel(guild, "news", CHANNEL.announcement), two(), apart),
    "Discord thread": () => thread(parent),
    "Discord forum post": () => thread(forum),
  };
}

const AN_HOUR_MS = 3_600_000;

function onSlack(slack: SlackEmulator): Makers {
  let count = 0;
  const room = (letter: string, type: Parameters<typeof slack.room>[1], people: number) => {
    const n = ++count;
    const users = Array.from({ length: people }, (_, i) => `U${n}P${i}`);
    return { channel: slack.room(`${letter}${n}`, type, users).id, users };
  };
  const typeOf = (channel: string) => (channel.startsWith("D") ? "dm" : "group");
  const textsIn = (channel: string) => slack.workspace.seen(channel);
  /** All in one thread. */
  const thread = ({ channel, users }: ReturnType<typeof room>) => {
    const root = { channel, user: users[0]!, text: "a topic", silently: true, atMs: Date.now() - AN_HOUR_MS };
    const { ts: threadTs } = slack.say(root);
    return {
      chatType: typeOf(channel),
      people: users.length,
      conversation: together,
      say: (person: number, text: string) =>
        void slack.say({ channel, user: users[person]!, text: `<@U0BOT> ${text}`, threadTs }),
      said: () =>
        textsIn(channel)
          .filter((message) => message.threadTs === threadTs)
          .map(visibleText),
    };
  };
  /** Each message begins a thread of its own, and is answered there. */
  const topLevel = ({ channel, users }: ReturnType<typeof room>) => {
    const asked: string[] = [];
    return {
      chatType: typeOf(channel),
      people: users.length,
      conversation: each,
      say: (person: number, text: string) =>
        void asked.push(slack.say({ channel, user: users[person]!, text: `<@U0BOT> ${text}` }).ts),
      said: () =>
        asked.flatMap((ts) =>
          textsIn(channel)
            .filter(({ threadTs }) => threadTs === ts)
            .map(visibleText),
        ),
    };
  };
  return {
    "Slack direct messages": () => topLevel(room("D", "im", 1)),
    "Slack direct thread": () => thread(room("D", "im", 1)),
    "Slack channel": () => topLevel(room("C", "channel", 2)),
    "Slack channel thread": () => thread(room("C", "channel", 2)),
    "Slack private channel thread": () => thread(room("C", "private", 2)),
    "Slack group message thread": () => thread(room("G", "mpim", 2)),
  };
}
