/** What the tour does in the clients: it writes and presses as a person, and waits for what the person sees. */
import type { Bubble, ChatClient, Saying } from "../../test/emulators/clients/client.js";
import { until } from "../../test/support/until.js";

export type ClientName = "telegram" | "discord" | "slack" | "web";

export interface Place {
  client: ClientName;
  chat: string;
}

const PATIENCE_MS = 60_000;

export class Acting {
  readonly #clients: readonly ChatClient[];
  /** Where the tour is now. */
  focus: Partial<Place> = {};

  constructor(clients: readonly ChatClient[]) {
    this.#clients = clients;
  }

  async messages({ client, chat }: Place): Promise<readonly Bubble[]> {
    const chats = await this.#client(client).chats();
    return chats.find(({ id }) => id === chat)!.messages;
  }

  /** Returns how many messages were there before. */
  async say(place: Place, person: string, text: string, more: Partial<Saying> = {}): Promise<number> {
    this.focus = place;
    const before = await this.messages(place);
    await this.#client(place.client).say({ ...more, chat: place.chat, person, text });
    return before.length;
  }

  /** A text of the bot that is complete and matches, after the first `from` messages. */
  answer(place: Place, wanted: RegExp, from = 0): Promise<Bubble> {
    return this.#find(place, wanted, from, ({ live }) => !live);
  }

  /** As `answer`, but it may be at its beginning. */
  begun(place: Place, wanted: RegExp, from = 0): Promise<Bubble> {
    return this.#find(place, wanted, from, () => true);
  }

  /** Its end is still to come. */
  beingWritten(place: Place, wanted: RegExp, from = 0): Promise<Bubble> {
    return this.#find(place, wanted, from, ({ live }) => live === true);
  }

  /** Says it and waits for the answer. */
  async ask(place: Place, person: string, text: string, wanted: RegExp, more: Partial<Saying> = {}) {
    return this.answer(place, wanted, await this.say(place, person, text, more));
  }

  async press({ client, chat }: Place, person: string, message: string, button: string): Promise<void> {
    await this.#client(client).press?.({ chat, person, message, button });
  }

  #client(name: string): ChatClient {
    return this.#clients.find((client) => client.name === name)!;
  }

  #find(place: Place, wanted: RegExp, from: number, also: (bubble: Bubble) => boolean): Promise<Bubble> {
    return until(
      `${place.client} shows ${wanted}`,
      async () => {
        const after = (await this.messages(place)).slice(from);
        return after.find((bubble) => bubble.isBot && wanted.test(bubble.text) && also(bubble));
      },
      { timeoutMs: PATIENCE_MS, found: async () => (await this.messages(place)).map(({ text }) => text) },
    );
  }
}
