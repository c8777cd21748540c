import type { Adapter, AdapterEvents, Cursor } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { killPoint } from "../kill-point.js";
import type { InboundMessage } from "../message.js";
import type { SessionKey } from "../session.js";
import { guardedKey, identityOf } from "../sessions/key.js";
import type { AcceptedMessage, InboxRow, MessageChange } from "../store/queues.js";
import { limitedMessage, MAX_MESSAGE_CHARS, truncated } from "../text-limits.js";
import { traceIdOf } from "../trace-id.js";
import type { Context } from "./context.js";
import { aboutMessage } from "./event-facts.js";

/** message → its session key → inbox row. When `accept` resolves, the message can't be lost any more. */
export class Inbox {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Undefined if the event is in the inbox already. */
  async accept(
    received: InboundMessage,
    key?: SessionKey,
    cursor?: AcceptedMessage["cursor"],
  ): Promise<InboxRow | undefined> {
    const receivedAt = nowSeconds();
    const message = limitedMessage(received);
    const place = key === undefined ? this.#keyOf(message) : { sessionKey: key };
    const traced = { ...message, traceId: traceIdOf(message) };
    const [row] = await this.#context.store.acceptMessages([
      { message: traced, receivedAt, cursor, ...place },
    ]);
    killPoint("accepted");
    return row;
  }

  /** Keys name no bot and are not injective: one that belongs to another bot or another origin gets a suffix. */
  #keyOf({ origin, platform, account }: InboundMessage): Pick<AcceptedMessage, "sessionKey" | "guard"> {
    const { isolation, keys, isAdditionalBot } = this.#context;
    const { key: plain, tuple } = identityOf(origin, isolation, keys);
    const sessionKey = isAdditionalBot(platform, account) ? guardedKey(plain, account, "") : plain;
    return { sessionKey, guard: { tuple, otherKey: guardedKey(sessionKey, tuple, "") } };
  }
}

/** The stages that follow. */
export interface Received {
  /** Starts routing; doesn't wait for it. */
  accepted(row: InboxRow): void;
  /** A message that waits to be added to a running turn has changed, or was deleted (null). */
  changeSteering(key: SessionKey, inboxId: number, text: string | null): void;
}

/** What adapters report → the inbox. The platform gets its acknowledgement when the promise resolves. */
export class Receiver {
  readonly #context: Context;
  readonly #inbox: Inbox;
  readonly #next: Received;

  constructor(context: Context, inbox: Inbox, next: Received) {
    this.#context = context;
    this.#inbox = inbox;
    this.#next = next;
  }

  /** Durable when it resolves; routing follows in the background. */
  async receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    this.requireAccepting();
    const { events } = this.#context;
    const { platform, eventId } = message;
    const traceId = traceIdOf(message);
    events.emit({ type: "received", platform, traceId });
    const row = await this.#inbox.accept(message, undefined, cursor);
    if (!row) return events.emit({ type: "duplicate", platform, traceId, eventId });
    events.emit({ type: "accepted", ...aboutMessage(row) });
    this.#next.accepted(row);
  }

  /** Throws while messages can't be stored: then nothing is acknowledged, and platforms deliver again. */
  requireAccepting(): void {
    const refusal = this.#context.refusal?.();
    if (refusal) throw refusal;
  }

  eventsOf({ platform, account }: Adapter): AdapterEvents {
    const { store, log } = this.#context;
    return {
      receive: (message, cursor) => this.receive(message, cursor),
      edited: (edit) => this.#changed({ ...edit, text: truncated(edit.text, MAX_MESSAGE_CHARS, "message") }),
      deleted: (message) => this.#changed({ ...message, text: null }),
      cursor: (name) => store.getValue({ platform, account, name }),
      saveCursor: ({ name, value }) => store.setValue({ platform, account, name }, value),
      chatMoved: async (from, to) => {
        const moved = await store.moveChat(platform, from, to);
        log.info({ platform, from, to, moved }, "chat moved");
      },
    };
  }

  async #changed(change: MessageChange): Promise<void> {
    this.requireAccepting();
    const { store, log } = this.#context;
    const { platform, messageId, text } = change;
    const changed = await store.changeMessage(change);
    const { outcome } = changed;
    if (outcome === "changed") this.#next.changeSteering(changed.sessionKey, changed.inboxId, text);
    log.info({ platform, messageId, outcome }, text === null ? "message deleted" : "message edited");
  }
}
