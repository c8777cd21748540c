import { nowSeconds } from "../clock.js";
import { killPoint } from "../kill-point.js";
import type { InboundMessage } from "../message.js";
import type { SessionKey } from "../session.js";
import { guardedKey, type Isolation, type KeyOptions, originTuple, sessionKey } from "../sessions/key.js";
import type { AcceptedMessage, InboxRow } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { limitedMessage } from "../text-limits.js";
import { traceIdOf } from "../trace-id.js";

const GIVEN_MAX = 1000;

export interface InboxOptions {
  isolation: Isolation;
  keys: KeyOptions;
  /** It came to a bot that isn't its platform's first: what is said to one is nothing to the others. */
  isForFurtherBot(message: InboundMessage): boolean;
}

/** message → its session key → inbox row. When `accept` resolves, the message can't be lost any more. */
export class Inbox {
  readonly #store: Store;
  readonly #options: InboxOptions;
  /** Tuples of keys that were just given out: their routes may not be there yet. The oldest give way. */
  readonly #given = new Map<SessionKey, string>();

  constructor(store: Store, options: InboxOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Undefined for an event that is there already. */
  async accept(
    received: InboundMessage,
    key?: SessionKey,
    cursor?: AcceptedMessage["cursor"],
  ): Promise<InboxRow | undefined> {
    const receivedAt = nowSeconds();
    const message = limitedMessage(received);
    const sessionKey = key ?? (await this.keyOf(message));
    const traced = { ...message, traceId: traceIdOf(message) };
    const [row] = await this.#store.acceptMessages([
      { message: traced, sessionKey, receivedAt, ...(cursor ? { cursor } : {}) },
    ]);
    killPoint("accepted");
    return row;
  }

  tupleOf(message: InboundMessage): string {
    return originTuple(message.origin, this.#options.isolation, this.#options.keys);
  }

  /** Keys name no bot, and are not injective: one that stands for another bot or another origin already gets a suffix. */
  async keyOf(message: InboundMessage): Promise<SessionKey> {
    const { isolation, keys, isForFurtherBot } = this.#options;
    const plain = sessionKey(message.origin, isolation, keys);
    const key = isForFurtherBot(message) ? guardedKey(plain, message.account, "") : plain;
    const tuple = this.tupleOf(message);
    const taken = (await this.#store.getRoute(key))?.tuple ?? this.#given.get(key) ?? tuple;
    if (this.#given.size >= GIVEN_MAX) this.#given.delete(this.#given.keys().next().value!);
    this.#given.set(key, taken);
    return guardedKey(key, tuple, taken);
  }
}
