/** Texts of recent messages: a reply names only the id of what it quotes. */
import { BoundedMap } from "../../bounded-map.js";
import { startOf } from "../../text-limits.js";

const MAX_TEXTS = 2000;
const MAX_CHARS = 2000;

/** The text of a message that the inbox has; undefined if it has none with this id. */
export type ReceivedText = (messageId: string) => Promise<string | undefined>;

export class QuotedTexts {
  readonly #texts = new BoundedMap<string, string>(MAX_TEXTS);
  readonly #received: ReceivedText;

  constructor(received: ReceivedText) {
    this.#received = received;
  }

  add(chatId: string, messageId: string, text: string): void {
    this.#texts.set(`${chatId} ${messageId}`, startOf(text, MAX_CHARS));
  }

  /** After a restart, only messages of people are known. */
  async get(chatId: string, messageId: string): Promise<string | undefined> {
    const known = this.#texts.get(`${chatId} ${messageId}`) ?? (await this.#received(messageId));
    return known === undefined ? undefined : startOf(known, MAX_CHARS);
  }
}
