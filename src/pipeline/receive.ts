import type { Adapter, AdapterEvents, Cursor, MessageRef } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { killPoint } from "../kill-point.js";
import type { InboundMessage } from "../message.js";
import type { SessionKey } from "../session.js";
import { type Identity, identityOf, storedKey } from "../sessions/key.js";
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

type OnEarly = (turn: AcceptedTurn | undefined) => void;

/** Message → session key → inbox row. Once `accept` resolves, the message can't be lost. */
export class Inbox {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** The message with its key and trace id, for the store. */
  address(
    received: InboundMessage,
    place: Pick<AcceptedMessage, "sessionKey" | "guard">,
    cursor?: AcceptedMessage["cursor"],
  ): AcceptedMessage {
    const receivedAt = nowSeconds();
    const message = limitedMessage(received);
    return { message: { ...message, traceId: traceIdOf(message) }, receivedAt, cursor, ...place };
  }

  /** Undefined if the event is already in the inbox. */
  async accept(accepted: AcceptedMessage): Promise<InboxRow | undefined> {
    const [row] = await this.#context.store.acceptMessages([accepted]);
    killPoint("accepted");
    return row;
  }

  /** The same, but starts the turn in the same commit if possible. `onEarly` may be called before the commit. */
  async acceptTurn(
    accepted: AcceptedMessage,
    start: AcceptedStart | undefined,
    onEarly: OnEarly | undefined,
  ): Promise<AcceptedTurn | undefined> {
    if (!start) {
      const row = await this.accept(accepted);
      return row && { row, started: undefined };
    }
    const turn = await this.#context.store.acceptTurn(accepted, start, onEarly);
    killPoint("accepted");
    return turn;
  }
}

/** The next stages. */
export interface Received {
  /** For a message that can start its turn immediately; otherwise it is routed once it is accepted. */
  earlyTurn(accepted: AcceptedMessage, identity: Identity): EarlyTurn | undefined;
  /** Starts routing without waiting for it. */
  accepted(row: InboxRow): void;
  /** Updates a message that waits to be added to a running turn: edited, or deleted (null). */
  changeSteering(key: SessionKey, inboxId: number, text: string | null): void;
}

/** Adapter events → the inbox. Adapters acknowledge an event to the platform once the promise resolves. */
export class Receiver {
  readonly #context: Context;
  readonly #inbox: Inbox;
  readonly #next: Received;
  /** Messages that wait for a read before they are stored; at most one per lane. */
  readonly #preparing = new Map<SessionKey, Promise<unknown>>();

  constructor(context: Context, inbox: Inbox, next: Received) {
    this.#context = context;
    this.#inbox = inbox;
    this.#next = next;
  }

  /** Durable when it resolves; routing follows in the background. */
  async receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    this.requireAccepting();
    const { events, isolation, keys, isAdditionalBot } = this.#context;
    const { platform, account, eventId, origin } = message;
    const traceId = traceIdOf(message);
    events.emit({ type: "received", platform, traceId });
    const identity = identityOf(origin, isolation, keys);
    const key = storedKey(identity, isAdditionalBot(platform, account) ? account : undefined);
    const accepted = this.#inbox.address(message, key, cursor);
    const { sessionKey } = accepted;
    // Earlier messages of the chat are stored first.
    while (cursor === undefined && this.#preparing.has(sessionKey)) await this.#preparing.get(sessionKey);
    const isNew = await this.#store(accepted, this.#next.earlyTurn(accepted, identity));
    if (!isNew) events.emit({ type: "duplicate", platform, traceId, eventId });
  }

  /** Calls the store immediately unless something must be read first, because the order of calls is the order of messages. */
  async #store(accepted: AcceptedMessage, early: EarlyTurn | undefined): Promise<boolean> {
    if (!early) return this.#accepted(await this.#inbox.accept(accepted));
    let hasBegun = false;
    const begin: OnEarly = (turn) => {
      if (hasBegun || !turn?.started) return;
      hasBegun = true;
      this.#emitAccepted(turn.row);
      early.begin(turn.started.rows[0]!, turn.started);
    };
    // A platform delivers again after a crash, so a message that crashes the gateway must be counted before its turn starts.
    const onEarly = accepted.message.request ? begin : undefined;
    const turn = await this.#storeTurn(accepted, early.start, onEarly).catch((error: unknown) => {
      if (!hasBegun) early.release();
      throw error;
    });
    begin(turn);
    if (hasBegun) return true;
    early.release();
    return this.#accepted(turn?.row);
  }

  async #storeTurn(
    accepted: AcceptedMessage,
    start: EarlyTurn["start"],
    onEarly: OnEarly | undefined,
  ): Promise<AcceptedTurn | undefined> {
    if (!(start instanceof Promise)) return this.#inbox.acceptTurn(accepted, start, onEarly);
    const { storing } = await this.#prepared(accepted, start, onEarly);
    return storing;
  }

  /** Wrapped, because it resolves when the store is called, not when it has answered. */
  #prepared(
    accepted: AcceptedMessage,
    start: Promise<AcceptedStart | undefined>,
    onEarly: OnEarly | undefined,
  ): Promise<{ storing: Promise<AcceptedTurn | undefined> }> {
    const { sessionKey } = accepted;
    const asked = start.then((prepared) => {
      this.#preparing.delete(sessionKey);
      return { storing: this.#inbox.acceptTurn(accepted, prepared, onEarly) };
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

  /** Throws while messages can't be stored, so that nothing is acknowledged and platforms deliver again. */
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

  /** Resolves when earlier messages have been passed to the store. */
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
