/** The users: they write, edit, delete, reply, mention, forward and send files, in any chat. */
import { randomUUID } from "node:crypto";
import { nowSeconds, type World, wireOf } from "./methods.js";
import type { EmulatedChat, Person, SeenMessage, WireMessage, WireUpdate } from "./types.js";

export interface Writing {
  text?: string;
  caption?: string;
  from?: Person | null;
  /** Its topic. */
  topic?: number;
  /** The message that it answers. */
  replyTo?: number;
  /** Epoch seconds; now if left out. */
  date?: number;
  /** Any other fields of the message: a sticker, a photo, a forward's origin. */
  fields?: Record<string, unknown>;
}

export interface Written {
  message: WireMessage;
  update: WireUpdate;
}

export class Users {
  readonly #world: World;
  readonly #copies: () => number;
  #nextPerson = 1001;

  constructor(world: World, copies: () => number) {
    this.#world = world;
    this.#copies = copies;
  }

  person(name: string, options: Partial<Person> = {}): Person {
    return { id: this.#nextPerson++, first_name: name, is_bot: false, ...options };
  }

  /** A direct message. */
  writeDm(from: Person, writing: string | Writing): Written {
    return this.write(this.#world.chats.privateWith(from), { from, ...writingOf(writing) });
  }

  write(chat: EmulatedChat, given: string | Writing): Written {
    const writing = writingOf(given);
    const seen = this.#world.chats.add({
      chatId: chat.id,
      from: writing.from?.id ?? null,
      text: writing.text ?? writing.caption ?? "",
      html: undefined,
      replyTo: writing.replyTo,
      threadId: writing.topic,
      file: undefined,
    });
    const message = this.#wire(chat, seen, writing);
    const kind = chat.type === "channel" ? "channel_post" : "message";
    return { message, update: this.#announce(kind, message) };
  }

  edit(message: WireMessage, text: string): Written {
    const seen = this.#world.chats.find(message.chat.id, message.message_id);
    if (seen) Object.assign(seen, { text, edits: seen.edits + 1 });
    const field = message.caption === undefined ? "text" : "caption";
    const edited: WireMessage = { ...message, [field]: text, edit_date: nowSeconds() };
    edited.entities = entitiesOf(text);
    const kind = message.chat.type === "channel" ? "edited_channel_post" : "edited_message";
    return { message: edited, update: this.#announce(kind, edited) };
  }

  /** Telegram doesn't notify bots of deletions. */
  delete(message: WireMessage): void {
    const seen = this.#world.chats.find(message.chat.id, message.message_id);
    if (seen) seen.deleted = true;
  }

  /** A button by its text or its data. Throws if the message has no such button. */
  press(seen: SeenMessage, button: string, from: Person): WireUpdate {
    const { chats, presses } = this.#world;
    const query = presses.press(seen, button, from);
    const message = wireOf(this.#world, chats.writable(seen.chatId), seen, { text: seen.text });
    return this.#announce("callback_query", { ...query, message });
  }

  sendFile(
    chat: EmulatedChat,
    from: Person,
    kind: string,
    file: { content: Buffer; path: string; name?: string; claimedBytes?: number },
    writing: Writing = {},
  ): Written {
    const fileId = randomUUID();
    this.#world.files.set(fileId, { path: file.path, content: file.content });
    const file_size = file.claimedBytes ?? file.content.length;
    const described = { file_id: fileId, file_unique_id: "u", file_size, file_name: file.name };
    const content = kind === "photo" ? [{ ...described, width: 10, height: 10 }] : described;
    return this.write(chat, { ...writing, from, fields: { ...writing.fields, [kind]: content } });
  }

  /** A group becomes a supergroup: both chats get a notice. */
  upgrade(chat: EmulatedChat): EmulatedChat {
    const moved = this.#world.chats.upgrade(chat.id);
    this.#service(chat, { migrate_to_chat_id: moved.id });
    this.#service(moved, { migrate_from_chat_id: chat.id });
    return moved;
  }

  /** Any update at all. */
  announce(kind: string, content: unknown): WireUpdate {
    return this.#announce(kind, content);
  }

  #service(chat: EmulatedChat, fields: Record<string, unknown>): void {
    const message: WireMessage = { message_id: 0, chat, date: nowSeconds(), ...fields };
    this.#announce("message", message);
  }

  #announce(kind: string, content: unknown): WireUpdate {
    const update = this.#world.updates.add(kind, content, this.#copies());
    this.#world.webhook.wake();
    return update;
  }

  #wire(chat: EmulatedChat, seen: SeenMessage, writing: Writing): WireMessage {
    const { chats, bot } = this.#world;
    const message: WireMessage = { message_id: seen.id, chat, date: writing.date ?? nowSeconds() };
    if (writing.from) message.from = writing.from;
    if (writing.text !== undefined)
      Object.assign(message, { text: writing.text, entities: entitiesOf(writing.text) });
    if (writing.caption !== undefined)
      Object.assign(message, { caption: writing.caption, caption_entities: entitiesOf(writing.caption) });
    if (writing.topic !== undefined)
      Object.assign(message, { message_thread_id: writing.topic, is_topic_message: true });
    const answered = writing.replyTo === undefined ? undefined : chats.find(chat.id, writing.replyTo);
    if (answered) message.reply_to_message = replied(chat, answered, bot);
    return { ...message, ...writing.fields };
  }
}

function writingOf(writing: string | Writing): Writing {
  return typeof writing === "string" ? { text: writing } : writing;
}

function replied(chat: EmulatedChat, seen: SeenMessage, bot: Person): WireMessage {
  const from = seen.from === "bot" ? bot : { id: seen.from ?? 0, first_name: "Somebody", is_bot: false };
  return { message_id: seen.id, chat, date: nowSeconds(), from, text: seen.text };
}

/** The entities that Telegram adds: commands and mentions. */
function entitiesOf(text: string): { type: string; offset: number; length: number }[] {
  const found = [...text.matchAll(/(?<![\w/])\/[a-z0-9_]+(?:@\w+)?|(?<!\w)@\w{4,}/gi)];
  return found.map(([word, ..._], i) => ({
    type: word.startsWith("/") ? "bot_command" : "mention",
    offset: found[i]!.index,
    length: word.length,
  }));
}
