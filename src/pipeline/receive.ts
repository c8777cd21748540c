import type { Adapter, AdapterEvents, Cursor, MessageRef } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { killPoint } from "../kill-point.js";
import type { InboundMessage } from "../message.js";
import type { SessionKey } from "../session.js";
import { guardedKey, identityOf } from "../sessions/key.js";
import type {
  AcceptedMessage,
  AcceptedStart,
  AcceptedTurn,
  ChangedMessage,
  InboxRow,
  MessageChange,
} from "../store/queues.js";
import { limitedMessage, MAX_MESSAGE_CHARS, truncated } from "../text-limits.js";
import { traceIdOf } from "../trace-id.js";
import type { Context } from "./context.js";
import type { EarlyTurn } from "./early-turn.js";
import { aboutMessage } from "./event-facts.js";

/** message → its session key → inbox row. When `accept` resolves, the message can't be lost any more. */
export class Inbox {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** With its key and its trace id, as the store takes it. */
  address(received: InboundMessage, cursor?: AcceptedMessage["cursor"], key?: SessionKey): AcceptedMessage {
    const receivedAt = nowSeconds();
    const message = limitedMessage(received);
    const place = key === undefined ? this.#keyOf(message) : { sessionKey: key };
    return { message: { ...message, traceId: traceIdOf(message) }, receivedAt, cursor, ...place };
  }

  /** Undefined if the event is in the inbox already. */
  async accept(accepted: AcceptedMessage): Promise<InboxRow | undefined> {
    const [row] = await this.#context.store.acceptMessages([accepted]);
    killPoint("accepted");
    return row;
  }

  /** The same, and its turn starts in the same commit if it can. */
  async acceptTurn(
    accepted: AcceptedMessage,
    start: AcceptedStart | undefined,
  ): Promise<AcceptedTurn | undefined> {
    if (!start) {
      const row = await this.accept(accepted);
      return row && { row, started: undefined };
    }
    const turn = await this.#context.store.acceptTurn(accepted, start);
    killPoint("accepted");
    return turn;
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
  /** For a message that can start its turn at once; undefined: it is routed once it is accepted. */
  earlyTurn(accepted: AcceptedMessage): EarlyTurn | undefined;
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
  /** Messages that aren't stored yet because something has to be read before. One per lane at most. */
  readonly #preparing = new Map<SessionKey, Promise<unknown>>();

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
    const accepted = this.#inbox.address(message, cursor);
    const { sessionKey } = accepted;
    // A message that came before in its chat is stored before.
    while (cursor === undefined && this.#preparing.has(sessionKey)) await this.#preparing.get(sessionKey);
    const isNew = await this.#store(accepted, this.#next.earlyTurn(accepted));
    if (!isNew) events.emit({ type: "duplicate", platform, traceId, eventId });
  }

  /** Asks the store at once, unless something has to be read before: the order of the calls is the order of the messages. */
  async #store(accepted: AcceptedMessage, early: EarlyTurn | undefined): Promise<boolean> {
    if (!early) return this.#accepted(await this.#inbox.accept(accepted));
    const turn = await this.#storeTurn(accepted, early.start).catch((error: unknown) => {
      early.release();
      throw error;
    });
    if (!turn?.started) {
      early.release();
      return this.#accepted(turn?.row);
    }
    this.#emitAccepted(turn.row);
    early.begin(turn.started.rows[0]!, turn.started);
    return true;
  }

  async #storeTurn(accepted: AcceptedMessage, start: EarlyTurn["start"]): Promise<AcceptedTurn | undefined> {
    if (!(start instanceof Promise)) return this.#inbox.acceptTurn(accepted, start);
    const { storing } = await this.#prepared(accepted, start);
    return storing;
  }

  /** Wrapped, because it resolves when the store is asked, not when it has answered. */
  #prepared(
    accepted: AcceptedMessage,
    start: Promise<AcceptedStart | undefined>,
  ): Promise<{ storing: Promise<AcceptedTurn | undefined> }> {
    const { sessionKey } = accepted;
    const asked = start.then((prepared) => {
      this.#preparing.delete(sessionKey);
      return { storing: this.#inbox.acceptTurn(accepted, prepared) };
    });
    this.#preparing.set(sessionKey, asked);
    return asked;
  }

  #accepted(row: InboxRow | undefined): boolean {
    if (!row) return false;
    this.#emitAccepted(row);
    this.#next.accepted(row);
    return true;
  }

  #emitAccepted(row: InboxRow): void {
    this.#context.events.emit({ type: "accepted", ...aboutMessage(row) });
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
      edited: async (edit) => {
        await this.#changed({ ...edit, text: truncated(edit.text, MAX_MESSAGE_CHARS, "message") });
      },
      deleted: async (message) => {
        await this.#changed({ ...message, text: null });
      },
      cursor: (name) => store.getValue({ platform, account, name }),
      saveCursor: ({ name, value }) => store.setValue({ platform, account, name }, value),
      chatMoved: async (from, to) => {
        await this.#allStored();
        const moved = await store.moveChat(platform, from, to);
        log.info({ platform, from, to, moved }, "chat moved");
      },
    };
  }

  /** The messages that came before are in the store, or on their way to it. */
  async #allStored(): Promise<void> {
    if (this.#preparing.size > 0) await Promise.all(this.#preparing.values());
  }

  /** Takes back a message that waits. False: its turn has started, or it is unknown. */
  async withdraw(message: MessageRef): Promise<boolean> {
    return (await this.#changed({ ...message, text: null, onlyWaiting: true })) === "changed";
  }

  async #changed(change: MessageChange): Promise<ChangedMessage["outcome"]> {
    this.requireAccepting();
    const { store, log } = this.#context;
    const { platform, messageId, text } = change;
    await this.#allStored();
    const changed = await store.changeMessage(change);
    const { outcome } = changed;
    if (outcome === "changed") this.#next.changeSteering(changed.sessionKey, changed.inboxId, text);
    log.info({ platform, messageId, outcome }, text === null ? "message deleted" : "message edited");
    return outcome;
  }
}
