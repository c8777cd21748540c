import { randomUUID } from "node:crypto";
import type {
  Adapter,
  AdapterEvents,
  Burst,
  CanAsk,
  CanPreview,
  Health,
  PartContext,
} from "../../src/adapters/adapter.js";
import type { InboundMessage, Origin, OutboundMessage, Target } from "../../src/message.js";

export interface TestPart {
  text: string;
}

/** What was sent: a message, or one part of it. */
export type Sent = OutboundMessage & { mayBeRepeat: boolean; part: number };

/** A platform in memory: people, direct chats, groups, threads and channels, and everything that was sent there. */
export class TestAdapter implements Adapter, CanPreview {
  readonly platform = "test";
  readonly account: string;
  readonly limits = { length: 4000, unit: "utf16" as const };
  readonly files = { maxBytes: 1_000_000 };
  readonly burst?: Burst;
  readonly sent: Sent[] = [];
  readonly previews: string[] = [];
  /** Set to let sends fail: called before each. */
  beforeSend: (message: Sent) => void | Promise<void> = () => undefined;
  #events: AdapterEvents | undefined;

  constructor({
    burstMs,
    afterAlbumMs,
    account = "bot",
  }: { burstMs?: number; afterAlbumMs?: number; account?: string } = {}) {
    this.account = account;
    if (afterAlbumMs !== undefined) this.burst = { afterLongMs: 0, longChars: 100, afterAlbumMs };
    if (burstMs !== undefined) this.burst = { quietMs: burstMs, afterLongMs: burstMs, longChars: 100 };
  }

  async connect(events: AdapterEvents): Promise<void> {
    this.#events = events;
  }

  async disconnect(): Promise<void> {
    this.#events = undefined;
  }

  health(): Health {
    return { state: this.#events ? "ok" : "down", lastProofAt: null };
  }

  /** A form feed begins the next part. */
  render({ text }: OutboundMessage): TestPart[] {
    return text.split("\f").map((part) => ({ text: part }));
  }

  async sendPart(
    message: OutboundMessage,
    { text }: TestPart,
    { index, mayBeRepeat }: PartContext,
  ): Promise<string[]> {
    const part: Sent = { ...message, text, mayBeRepeat, part: index };
    await this.beforeSend(part);
    this.sent.push(part);
    return [index === 0 ? `sent-${message.id}` : `sent-${message.id}-${index}`];
  }

  preview(_target: Target, _turnId: string, text: string): void {
    this.previews.push(text);
  }

  /** Resolves when the inbox has it. Gives the event's id. */
  async say(from: Person, text: string, more: Partial<InboundMessage> = {}): Promise<string> {
    const eventId = more.eventId ?? randomUUID();
    if (!this.#events) throw new Error("The adapter is not connected");
    await this.#events.receive({
      platform: this.platform,
      account: this.account,
      eventId,
      origin: { ...originOf(from), messageId: eventId },
      text,
      attachments: [],
      sentAt: Date.now() / 1000,
      mentioned: true,
      repliedToBot: false,
      threadWithBot: false,
      isBot: false,
      authenticated: false,
      ...more,
    });
    return eventId;
  }

  /** Presses a button of the last question in a place. */
  async press(
    from: Person,
    choiceId: string,
    place: Pick<Person, "chatId" | "threadId"> = from,
  ): Promise<string> {
    const asked = this.to(place).findLast(({ question }) => question)?.question;
    if (!asked) throw new Error("There is no question");
    return this.say(from, choiceId, { choice: { questionId: asked.id, choiceId } });
  }

  /** Its author changes it. */
  async edit(place: Person, messageId: string, text: string): Promise<void> {
    await this.#events?.edited({ ...this.#ref(place, messageId), text });
  }

  /** Its author takes it back. */
  async remove(place: Person, messageId: string): Promise<void> {
    await this.#events?.deleted(this.#ref(place, messageId));
  }

  #ref({ chatId }: Person, messageId: string) {
    return { platform: this.platform, account: this.account, chatId, messageId };
  }

  /** What was sent to a place, oldest first. */
  to(place: Pick<Person, "chatId" | "threadId">): Sent[] {
    return this.sent.filter(
      ({ target }) => target.chatId === place.chatId && target.threadId === (place.threadId ?? null),
    );
  }
}

/** The same with buttons under questions. */
export class ButtonAdapter extends TestAdapter implements CanAsk {
  readonly maxChoices = 8;
  /** What stands in the place of questions that are decided. */
  readonly settled: string[] = [];

  async settleQuestion(_target: Target, _messageIds: readonly string[], text: string): Promise<void> {
    this.settled.push(text);
  }
}

/** A person in a chat. */
export interface Person {
  userId: string;
  userName?: string;
  chatType: "dm" | "group" | "channel" | "thread";
  chatId: string;
  threadId?: string;
}

export function originOf({ userId, userName, chatType, chatId, threadId }: Person): Origin {
  return {
    platform: "test",
    chatType,
    chatId,
    chatName: null,
    threadId: threadId ?? null,
    userId,
    userName: userName ?? null,
  };
}

export function inDm(userId: string, userName = userId): Person {
  return { userId, userName, chatType: "dm", chatId: `dm-${userId}` };
}

export function inGroup(userId: string, chatId = "group", userName = userId): Person {
  return { userId, userName, chatType: "group", chatId };
}
