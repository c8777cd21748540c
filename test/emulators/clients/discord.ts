import type { DiscordEmulator } from "../discord/index.js";
import type { Channel, Message } from "../discord/world.js";
import { type Bubble, type ChatClient, dataUrl, HERMES_NAME } from "./client.js";

/** A Discord server with one channel, and a direct message for each person. */
export function discordClient(emulator: DiscordEmulator, names: readonly string[], channelName: string) {
  const people = names.map((name) => emulator.user(name));
  const channel = emulator.channel(emulator.guild("Makers"), channelName);
  const direct = people.map((person) => emulator.dm(person));
  const named = (name: string) => people.find((person) => person.name === name)!;
  const chatOf = (id: string) => [...direct, channel].find((chat) => chat.id === id)!;
  const client: ChatClient = {
    name: "discord",
    title: "Discord",
    chats: () =>
      [...direct, channel].map((chat) => ({
        id: chat.id,
        title: chat.recipientId ? nameOf(emulator, chat.recipientId) : `#${chat.name}`,
        isGroup: chat === channel,
        people: chat === channel ? names : [nameOf(emulator, chat.recipientId!)],
        messages: messagesOf(emulator, chat).map((message) => bubble(emulator, message)),
      })),
    say: ({ chat, person, text, picture }) =>
      emulator.say(named(person), chatOf(chat), written(emulator, text), {
        files: picture ? [{ name: "picture.png", contentType: "image/png", bytes: picture }] : [],
      }),
    press: ({ chat, person, message, button }) =>
      emulator.press(named(person), chatOf(chat), message, button),
  };
  return { client, channel, people, direct };
}

function messagesOf(emulator: DiscordEmulator, chat: Channel): readonly Message[] {
  return emulator.core.world.visible(chat.id);
}

function nameOf(emulator: DiscordEmulator, id: string): string {
  return emulator.core.world.users.get(id)?.name ?? id;
}

/** Discord's own client turns a typed name into a mention. */
function written(emulator: DiscordEmulator, text: string): string {
  return text.replaceAll(/@hermes\b/gi, `<@${emulator.botId}>`);
}

function bubble(emulator: DiscordEmulator, message: Message): Bubble {
  const isBot = message.authorId === emulator.botId;
  return {
    id: message.id,
    from: isBot ? HERMES_NAME : nameOf(emulator, message.authorId),
    isBot,
    text: message.content.replaceAll(/<@!?(\d{1,25})>/g, (_, id: string) => `@${nameOf(emulator, id)}`),
    format: "markdown",
    buttons: message.buttons.flat().map(({ label }) => label),
    pictures: message.files
      .filter(({ contentType }) => contentType.startsWith("image/"))
      .map(({ contentType, bytes }) => dataUrl(contentType, bytes)),
  };
}
