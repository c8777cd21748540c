import type { Adapter } from "../../src/adapters/adapter.js";
import { telegramAdapter } from "../../src/adapters/telegram/index.js";
import { type EmulatedChat, TelegramEmulator, type Written } from "../emulators/telegram/index.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

const PRIVATE = "private chat";
const BOT = "@hermes_bot";

class TelegramStage implements Stage {
  readonly #telegram: TelegramEmulator;
  readonly #places: Map<string, Place>;
  readonly #adapters: Adapter[] = [];
  readonly #hasty: boolean;
  readonly #ben: Parameters<TelegramEmulator["users"]["writeDm"]>[0];
  readonly log: string[] = [];

  constructor(telegram: TelegramEmulator, { hasty }: OpenOptions) {
    this.#telegram = telegram;
    this.#hasty = hasty;
    this.#ben = telegram.users.person("Ben");
    this.#places = this.#furnish();
  }

  get secrets(): string[] {
    return [this.#telegram.token, "emulated-token"];
  }

  adapter(): Adapter {
    const timing = {
      pollSeconds: this.#hasty ? 0 : 20,
      pollGraceMs: this.#hasty ? 300 : 3000,
      callMs: this.#hasty ? 300 : 3000,
      backoff: { firstMs: 10, maxMs: 50 },
      refusedMs: 50,
      conflictMs: 200,
    };
    const adapter = telegramAdapter({
      token: this.#telegram.token,
      apiUrl: this.#telegram.url,
      log: (level, message, fields) => this.log.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`),
      timing,
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place(kind: string): Place {
    return this.#places.get(kind)!;
  }

  #furnish(): Map<string, Place> {
    const { chats, users } = this.#telegram;
    const ann = users.person("Ann");
    const dm = chats.privateWith(ann);
    const topicOwner = users.person("Tom");
    const withTopics = chats.privateWith(topicOwner);
    const privateTopic = chats.topic(withTopics.id);
    const forum = chats.make("supergroup", { forum: true, title: "Forum" });
    const topic = chats.topic(forum.id);
    const room = (chat: EmulatedChat, thread: number | undefined, shown: string | null = null) =>
      this.#place(
        chat,
        { from: ann, topic: thread },
        { chatType: "group", threadId: shown, userId: String(ann.id) },
      );
    return new Map<string, Place>([
      [PRIVATE, this.#place(dm, { from: ann }, { chatType: "dm", threadId: null, userId: String(ann.id) })],
      ["group", room(chats.make("group"), undefined)],
      ["supergroup", room(chats.make("supergroup"), undefined)],
      ["forum topic", room(forum, topic, String(topic))],
      ["forum's General", room(forum, undefined, "1")],
      ["channel", this.#channel(chats.make("channel"))],
      [
        "private topic",
        this.#place(
          withTopics,
          { from: topicOwner, topic: privateTopic },
          { chatType: "dm", threadId: String(privateTopic), userId: String(topicOwner.id) },
        ),
      ],
    ]);
  }

  #channel(chat: EmulatedChat): Place {
    return this.#place(
      chat,
      { from: null },
      { chatType: "channel", threadId: null, userId: String(chat.id) },
    );
  }

  #place(
    chat: EmulatedChat,
    writing: { from: Parameters<TelegramEmulator["users"]["writeDm"]>[0] | null; topic?: number | undefined },
    origin: Place["origin"],
  ): Place {
    const { users } = this.#telegram;
    const { from, topic } = writing;
    let last: Written | undefined;
    const write = (text: string) => {
      last = users.write(chat, { from, text, ...(topic === undefined ? {} : { topic }) });
    };
    return {
      origin: { chatId: String(chat.id), ...origin },
      say: (text) => write(chat.type === "private" || text.startsWith("/") ? text : `${BOT} ${text}`),
      seen: () =>
        this.#telegram
          .said(chat.id)
          .filter(({ threadId }) => threadId === topic)
          .map(({ id, text, replyTo, keyboard }) => ({
            id: String(id),
            text,
            replyTo: replyTo === undefined ? null : String(replyTo),
            buttons: (keyboard ?? []).flat().map((button) => button.text),
          })),
      edit: (text) => void users.edit(last!.message, text),
      remove: () => users.delete(last!.message),
      press: ({ id }, label, who) => {
        const person = who === undefined ? (from ?? this.#ben) : this.#ben;
        users.press(this.#telegram.chats.find(chat.id, id)!, label, person);
        return String(person.id);
      },
    };
  }

  listeners = () => (this.#telegram.updates.isPolled ? 1 : 0);
  requests = () => this.#telegram.calls.length;
  posts = () => this.#telegram.callsOf("sendMessage").length;
  acknowledged = () => this.#telegram.updates.pending.length === 0;
  reactions = () => [...this.#telegram.world.reactions.values()];
  typing = () => this.#telegram.world.actions.length;
  menu = () => this.#telegram.world.commands.map(({ command }) => command);
  previews = never;
  pressesAcknowledged = () => this.#telegram.world.presses.answered.length;

  repeat(): void {
    this.#telegram.faults.duplicate = true;
  }

  babble(): void {
    const { users } = this.#telegram;
    users.announce("message", { message_id: 7 });
    users.announce("message", { message_id: 8, chat: { id: 1, type: "tomorrow" }, from: null });
    users.announce("channel_post", {});
    users.announce("edited_message", null);
    users.announce("callback_query", { id: "1" });
    users.announce("callback_query", { id: "2", from: null, data: "q:a:b", message: { chat: { id: 1 } } });
    users.announce("callback_query", { id: "3", from: { id: 5 }, data: "q:a:b", inline_message_id: "x" });
    users.announce("something_new", { of: "tomorrow" });
  }

  pick(kind: string, command: string): void {
    this.place(kind).say(kind === PRIVATE ? `/${command}` : `/${command}${BOT}`);
  }

  refuse = () => this.#telegram.faults.fail("sendMessage", 403, "Forbidden: bot was blocked by the user");
  /** For the chat only: with a limit for the whole bot, every poll would extend the wait. */
  limit(seconds: number): void {
    for (const id of this.#telegram.chats.ids) this.#telegram.faults.flood(id, seconds);
  }
  drop = () => this.#telegram.faults.dropAfter("sendMessage");
  goDown = () => this.#telegram.goDown();
  revokeToken = () => this.#telegram.tokens.clear();

  stall(): void {
    this.#telegram.faults.delayMs = 900;
  }

  startSlowly(): void {
    this.#telegram.faults.delayMs = 300;
  }

  fallSilent(): void {
    this.#telegram.faults.silent = true;
  }

  speakAgain(): void {
    this.#telegram.faults.silent = false;
  }

  async comeBack(): Promise<void> {
    await this.#telegram.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.#telegram.close();
  }
}

const telegram: Platform = {
  name: "telegram",
  kinds: [PRIVATE, "group", "supergroup", "forum topic", "forum's General", "channel", "private topic"],
  can: ["stream", "type", "register commands", "ask", "react"],
  lacks: {
    deletes: "Telegram tells bots nothing of them",
    recognition: "Telegram can't be asked: a repeat is marked as one",
  },
  open: async (options) => new TelegramStage(await new TelegramEmulator().start(), options),
};

adapterContract(telegram);
