/** Chats and their messages, as their members see them. */
import { ApiError, type ChatKind, type EmulatedChat, type Person, type SeenMessage } from "./types.js";

export class Chats {
  readonly #chats = new Map<number, EmulatedChat>();

  get ids(): number[] {
    return [...this.#chats.keys()];
  }

  readonly #messages = new Map<number, SeenMessage[]>();
  readonly #moved = new Map<number, number>();
  readonly #topics = new Map<number, Set<number>>();
  readonly blocked = new Set<number>();
  readonly kicked = new Set<number>();
  /** Never 1, which is the General topic. */
  #nextMessageId = 10;
  #nextChatId = 5000;

  make(type: ChatKind, options: { title?: string; forum?: boolean; id?: number } = {}): EmulatedChat {
    const number = options.id ?? this.#nextChatId++;
    const id = type === "private" ? number : type === "group" ? -number : -1_000_000_000_000 - number;
    const chat: EmulatedChat = { id, type };
    if (type !== "private") chat.title = options.title ?? `${type} ${number}`;
    if (options.forum) chat.is_forum = true;
    this.#chats.set(id, chat);
    return chat;
  }

  /** A private chat has its person's id. */
  privateWith(person: Person): EmulatedChat {
    const known = this.#chats.get(person.id);
    if (known) return known;
    const chat: EmulatedChat = { id: person.id, type: "private", first_name: person.first_name };
    this.#chats.set(chat.id, chat);
    return chat;
  }

  topic(chatId: number, id: number = this.#nextMessageId++): number {
    this.#topicsOf(chatId).add(id);
    return id;
  }

  removeTopic(chatId: number, topicId: number): void {
    this.#topicsOf(chatId).delete(topicId);
  }

  hasTopic(chatId: number, topicId: number): boolean {
    return this.#topicsOf(chatId).has(topicId);
  }

  /** The chat if the bot may write to it; else throws the refusal. */
  writable(id: unknown): EmulatedChat {
    const chatId = Number(id);
    const movedTo = this.#moved.get(chatId);
    if (movedTo !== undefined)
      throw new ApiError(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: movedTo,
      });
    const chat = this.#chats.get(chatId);
    if (!chat) throw new ApiError(400, "Bad Request: chat not found");
    if (this.blocked.has(chatId)) throw new ApiError(403, "Forbidden: bot was blocked by the user");
    if (this.kicked.has(chatId)) throw new ApiError(403, "Forbidden: bot was kicked from the group chat");
    return chat;
  }

  /** A group becomes a supergroup: another id, and the old one is gone. */
  upgrade(chatId: number): EmulatedChat {
    const old = this.#chats.get(chatId)!;
    const chat = this.make("supergroup", old.title === undefined ? {} : { title: old.title });
    this.#chats.delete(chatId);
    this.#moved.set(chatId, chat.id);
    return chat;
  }

  add(message: Omit<SeenMessage, "id" | "at" | "edits" | "deleted">): SeenMessage {
    const id = this.#nextMessageId++;
    const seen: SeenMessage = { ...message, id, at: Date.now(), edits: 0, deleted: false };
    this.#list(message.chatId).push(seen);
    return seen;
  }

  /** All messages, including deleted ones, oldest first. */
  all(chatId: number): readonly SeenMessage[] {
    return this.#list(chatId);
  }

  find(chatId: number, messageId: unknown): SeenMessage | undefined {
    return this.#list(chatId).find(({ id, deleted }) => id === Number(messageId) && !deleted);
  }

  #list(chatId: number): SeenMessage[] {
    const list = this.#messages.get(chatId) ?? [];
    this.#messages.set(chatId, list);
    return list;
  }

  #topicsOf(chatId: number): Set<number> {
    const topics = this.#topics.get(chatId) ?? new Set();
    this.#topics.set(chatId, topics);
    return topics;
  }
}
