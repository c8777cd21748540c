/** Which of the Mac's chats belongs to a chat id. The chat of a person has another GUID per service. */
import { BoundedMap } from "../../bounded-map.js";
import type { Target } from "../../message.js";
import type { BlueBubblesApi } from "./api.js";
import { isAddress, isGroupGuid, isGuid } from "./ids.js";
import { type Chat, readChat, readMessage } from "./normalise.js";

const MAX_KNOWN = 2000;
const PAGE = 500;
const MAX_PAGES = 4;

export class Chats {
  readonly #api: BlueBubblesApi;
  readonly #guids = new BoundedMap<string, string>(MAX_KNOWN);

  constructor(api: BlueBubblesApi) {
    this.#api = api;
  }

  /** The newest message of a person tells by which service they are reached. */
  learn({ id, guid }: Chat): void {
    this.#guids.set(id, guid);
  }

  known({ chatId }: Target): string | undefined {
    if (chatId === null) return undefined;
    return isGroupGuid(chatId) ? chatId : this.#guids.get(chatId);
  }

  /** Undefined if the Mac has no chat with this person. Rejects if the server can't be asked. */
  async find(target: Target, signal: AbortSignal): Promise<string | undefined> {
    const known = this.known(target);
    if (known !== undefined || !isAddress(target.chatId)) return known;
    const found = (await this.#ofQuestion(target, signal)) ?? (await this.#search(target.chatId, signal));
    if (found) this.learn(found);
    return found?.guid;
  }

  async #ofQuestion({ chatId, replyTo }: Target, signal: AbortSignal): Promise<Chat | undefined> {
    if (!isGuid(replyTo)) return undefined;
    // A question that is gone tells nothing; the list of chats may.
    const value = await this.#api.message(replyTo, signal).catch(() => undefined);
    const chat = readMessage(value)?.chat;
    return chat?.id === chatId ? chat : undefined;
  }

  /** By the chat's own identifier only: a group in which the person takes part must not get the answer. */
  async #search(address: string, signal: AbortSignal): Promise<Chat | undefined> {
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = await this.#api.chats(PAGE, page * PAGE, signal);
      const chats = found.flatMap((value) => readChat(value) ?? []);
      const chat = chats.find(({ id, isGroup }) => !isGroup && id === address);
      if (chat || found.length < PAGE) return chat;
    }
    return undefined;
  }
}
