import { buttonsIn, type SlackEmulator, type StoredMessage, visibleText } from "../slack/index.js";
import type { Conversation } from "../slack/types.js";
import { type Bubble, type ChatClient, dataUrl, HERMES_NAME } from "./client.js";

/** A Slack workspace with one channel, and a direct message for each person. */
export function slackClient(emulator: SlackEmulator, names: readonly string[], channelName: string) {
  const { workspace } = emulator;
  const people = names.map((name, i) => workspace.addPerson(`U${i + 1}`, name));
  const direct = people.map(({ id }, i) => emulator.room(`D${i + 1}`, "im", [id]));
  const channel = emulator.room(
    "C1",
    "channel",
    people.map(({ id }) => id),
    channelName,
  );
  const userOf = (name: string) => people.find((person) => person.name === name)!.id;
  const membersOf = (room: Conversation) => people.filter(({ id }) => room.members.has(id));
  const client: ChatClient = {
    name: "slack",
    title: "Slack",
    chats: () =>
      [...direct, channel].map((room) => ({
        id: room.id,
        title: room === channel ? `#${room.name}` : membersOf(room)[0]!.name,
        isGroup: room === channel,
        hasThreads: true,
        people: membersOf(room).map(({ name }) => name),
        messages: inThreads(workspace.all(room.id)).map((message) => bubble(emulator, message)),
      })),
    say: ({ chat, person, text, thread, picture }) =>
      emulator.say({
        channel: chat,
        user: userOf(person),
        text: text.replaceAll(/@hermes\b/gi, `<@${workspace.botUser}>`),
        ...(thread === undefined ? {} : { threadTs: thread }),
        files: picture ? [{ name: "picture.png", content: picture, mimetype: "image/png" }] : [],
      }),
    press: ({ chat, person, message, button }) => emulator.press(chat, message, button, userOf(person)),
  };
  return { client, channel, people, direct };
}

/** Each thread below its first message. */
function inThreads(messages: readonly StoredMessage[]): StoredMessage[] {
  const visible = messages.filter(({ deleted }) => !deleted);
  const rootOf = ({ ts, threadTs = ts }: StoredMessage) => Number(threadTs);
  return visible.toSorted((a, b) => rootOf(a) - rootOf(b) || Number(a.ts) - Number(b.ts));
}

function isMarkdown({ isMarkdown: streamed = false, blocks = [] }: StoredMessage): boolean {
  return streamed || blocks.some(({ type }) => type === "markdown");
}

function bubble({ workspace }: SlackEmulator, message: StoredMessage): Bubble {
  const isBot = message.user === workspace.botUser;
  const nameOf = (id: string) =>
    id === workspace.botUser ? HERMES_NAME : (workspace.people.get(id)?.name ?? id);
  const { ts, threadTs } = message;
  return {
    id: ts,
    from: nameOf(message.user),
    isBot,
    text: visibleText(message).replaceAll(/<@(\w{1,20})>/g, (_, id: string) => `@${nameOf(id)}`),
    format: isMarkdown(message) ? "markdown" : "mrkdwn",
    buttons: buttonsIn(message).map(({ text }) => text.text),
    pictures: message.files
      .filter(({ mimetype }) => mimetype.startsWith("image/"))
      .map(({ mimetype, content }) => dataUrl(mimetype, content)),
    ...(threadTs === undefined || threadTs === ts ? {} : { thread: threadTs }),
    ...(message.streaming ? { live: true } : {}),
  };
}
