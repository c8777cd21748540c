import type { TelegramEmulator } from "../telegram/index.js";
import type { EmulatedChat, Person, SeenMessage } from "../telegram/types.js";
import { type Bubble, type ChatClient, type ChatView, HERMES_NAME } from "./client.js";

/** Telegram with a direct chat for each person and a group of them all. */
export function telegramClient(emulator: TelegramEmulator, names: readonly string[], title: string) {
  const people = names.map((name) => emulator.users.person(name));
  const group = emulator.chats.make("supergroup", { title });
  const chats = new Map<string, EmulatedChat>(
    [...people.map((person) => emulator.chats.privateWith(person)), group].map((chat) => [
      String(chat.id),
      chat,
    ]),
  );
  const named = (name: string) => people.find((person) => person.first_name === name)!;
  const client: ChatClient = {
    name: "telegram",
    title: "Telegram",
    chats: () => [...chats.values()].map((chat) => viewOf(emulator, chat, people)),
    say: ({ chat, person, text }) => emulator.users.write(chats.get(chat)!, { from: named(person), text }),
    press: ({ chat, person, message, button }) => {
      const seen = emulator.chats.find(Number(chat), message);
      if (seen) emulator.users.press(seen, button, named(person));
    },
  };
  return { client, group, people };
}

function viewOf(emulator: TelegramEmulator, chat: EmulatedChat, people: readonly Person[]): ChatView {
  const isGroup = chat.type !== "private";
  const members = isGroup ? people : people.filter(({ id }) => id === chat.id);
  const nameOf = (id: number | null) => people.find((person) => person.id === id)?.first_name ?? "";
  return {
    id: String(chat.id),
    title: chat.title ?? chat.first_name ?? "",
    isGroup,
    people: members.map((person) => person.first_name),
    messages: [
      ...emulator.seen(chat.id).map((message) => bubble(message, nameOf)),
      ...draft(emulator, chat.id),
    ],
  };
}

function bubble(message: SeenMessage, nameOf: (id: number | null) => string): Bubble {
  const { id, from, text, html, keyboard = [] } = message;
  const isBot = from === "bot";
  return {
    id: String(id),
    from: isBot ? HERMES_NAME : nameOf(from),
    isBot,
    text: html ?? text,
    format: html === undefined ? "plain" : "html",
    buttons: keyboard.flat().map((button) => button.text),
  };
}

/** The answer that the bot writes now; its message replaces it. */
function draft(emulator: TelegramEmulator, chatId: number): Bubble[] {
  const last = emulator.world.drafts.findLast((found) => found.chatId === chatId);
  const answered = emulator.said(chatId).at(-1)?.at ?? 0;
  if (!last || last.at < answered) return [];
  return [
    {
      ...{ id: "draft", from: HERMES_NAME, isBot: true, live: true },
      ...{ text: last.text, format: "plain", buttons: [] },
    },
  ];
}
