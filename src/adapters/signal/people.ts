/** Who is who: a person has a uuid that stays, and a number that they may hide or change. */
import { BoundedMap } from "../../bounded-map.js";
import type { InboundMessage, Origin } from "../../message.js";
import type { AdapterEvents, Cursor } from "../adapter.js";
import { chatCursor, isNumber, numberCursor } from "./ids.js";

const MAX_PEOPLE = 10_000;

export class People {
  readonly #events: AdapterEvents;
  /** Saved cursors, as far as they are known. */
  readonly #known = new BoundedMap<string, string>(2 * MAX_PEOPLE);

  constructor(events: AdapterEvents) {
    this.#events = events;
  }

  /** Access lists and pairings may have the number of a person who hides it now. */
  async recognised(message: InboundMessage): Promise<InboundMessage> {
    const { userId, userIdAlt: uuid } = message.origin;
    if (!uuid || !userId) return message;
    const name = numberCursor(uuid);
    const before = this.#known.get(name) ?? (await this.#events.cursor(name));
    if (!isNumber(userId))
      return before === undefined ? message : { ...message, origin: { ...message.origin, userId: before } };
    if (before !== userId) await this.#events.saveCursor({ name, value: userId });
    this.#known.set(name, userId);
    return message;
  }

  /** A person who hides their number, or shows it again, gets a chat with another id: the conversation goes along. */
  async moved({ chatType, chatId, userIdAlt: uuid }: Origin): Promise<Cursor | undefined> {
    if (chatType !== "dm" || !uuid || !chatId) return undefined;
    const name = chatCursor(uuid);
    const before = this.#known.get(name) ?? (await this.#events.cursor(name));
    if (before !== undefined && before !== chatId) await this.#events.chatMoved(before, chatId);
    this.#known.set(name, chatId);
    return before === chatId ? undefined : { name, value: chatId };
  }
}
