import {
  ApiError,
  type Conversation,
  type ConversationType,
  type Metadata,
  type Person,
  type StoredFile,
  type StoredMessage,
  visibleText,
} from "./types.js";

/** People, conversations and messages, with their history. */
export class Workspace {
  readonly teamId = "T0EMU";
  readonly appId = "A0EMU";
  readonly botUser = "U0BOT";
  readonly botId = "B0BOT";
  readonly people = new Map<string, Person>();
  readonly conversations = new Map<string, Conversation>();
  readonly files = new Map<string, StoredFile>();
  /** The bot's reactions: "ts name". */
  readonly reactions = new Set<string>();
  readonly statuses: { channel: string; threadTs: string; status: string }[] = [];
  /** Responses visible only to the sender of a command. */
  readonly whispers: { channel: string; user: string; text: string }[] = [];
  readonly #messages = new Map<string, StoredMessage[]>();
  #lastTs = 0;
  #past = 0;
  #files = 0;

  constructor() {
    this.people.set(this.botUser, { id: this.botUser, name: "hermes", isBot: true });
  }

  /** A unique ts; `atMs` for a message in the past. */
  nextTs(atMs?: number): string {
    if (atMs !== undefined) return stamp(Math.floor(atMs) * 1000 + (++this.#past % 1000));
    this.#lastTs = Math.max(this.#lastTs + 1, Date.now() * 1000);
    return stamp(this.#lastTs);
  }

  addPerson(id: string, name = id, isBot = false): Person {
    const person = { id, name, isBot };
    this.people.set(id, person);
    return person;
  }

  addConversation(id: string, type: ConversationType, members: readonly string[], name = id): Conversation {
    for (const member of members) if (!this.people.has(member)) this.addPerson(member);
    const all = new Set([...members, this.botUser]);
    const conversation = { id, type, name, topic: "", members: all, archived: false };
    this.conversations.set(id, conversation);
    return conversation;
  }

  /** From the bot's view: private conversations without the bot don't exist. */
  conversation(id: string | undefined): Conversation {
    const found = id === undefined ? undefined : (this.conversations.get(id) ?? this.#dmWith(id));
    if (!found) throw new ApiError("channel_not_found");
    return found;
  }

  /** A user id selects the direct message with that user. */
  #dmWith(user: string): Conversation | undefined {
    if (!this.people.has(user)) return undefined;
    return [...this.conversations.values()].find((c) => c.type === "im" && c.members.has(user));
  }

  add(
    message: Omit<StoredMessage, "ts" | "edits" | "deleted" | "streaming" | "files"> & Partial<StoredMessage>,
  ) {
    const stored: StoredMessage = {
      ts: this.nextTs(),
      files: [],
      edits: 0,
      deleted: false,
      streaming: false,
      ...message,
    };
    const list = this.#messages.get(stored.channel) ?? [];
    list.push(stored);
    list.sort((a, b) => Number(a.ts) - Number(b.ts));
    this.#messages.set(stored.channel, list);
    return stored;
  }

  addFile(name: string, content: Buffer, mimetype: string, pending = false): StoredFile {
    const id = `F0EMU${++this.#files}`;
    const file = { id, name, mimetype, size: content.length, content, pending };
    this.files.set(id, file);
    return file;
  }

  find(channel: string, ts: string | undefined): StoredMessage {
    const message = this.#messages.get(channel)?.find((m) => m.ts === ts && !m.deleted);
    if (!message) throw new ApiError("message_not_found");
    return message;
  }

  /** All messages of a conversation in order, including deleted ones. */
  all(channel: string): readonly StoredMessage[] {
    return this.#messages.get(channel) ?? [];
  }

  /** The bot's visible messages in order, in all of the conversation or one thread. */
  seen(channel: string, threadTs?: string): StoredMessage[] {
    return this.all(channel).filter(
      (m) => m.user === this.botUser && !m.deleted && (threadTs === undefined || m.threadTs === threadTs),
    );
  }

  texts(channel: string, threadTs?: string): string[] {
    return this.seen(channel, threadTs).map(visibleText);
  }

  /** How many visible messages carry each marker; more than one is a repeat. */
  markers(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const message of [...this.#messages.values()].flat()) {
      if (message.deleted || !message.metadata) continue;
      const key = markerKey(message.metadata);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }
}

function markerKey({ event_payload: { nonce, part } }: Metadata): string {
  return `${String(nonce)}#${String(part)}`;
}

function stamp(microseconds: number): string {
  return `${Math.floor(microseconds / 1e6)}.${String(microseconds % 1e6).padStart(6, "0")}`;
}
