import type { AdapterEvents, Cursor, MessageEdit, MessageRef } from "../../src/adapters/adapter.js";
import type { InboundMessage } from "../../src/message.js";
import { until } from "../support/until.js";

/** The gateway as an adapter sees it: deduplicated events, cursors, and an inbox that can be slow or broken. */
export class Inbox implements AdapterEvents {
  readonly received: InboundMessage[] = [];
  readonly copies: InboundMessage[] = [];
  readonly edits: MessageEdit[] = [];
  readonly deletes: MessageRef[] = [];
  /** The event ids that `receive` was called with, also when it failed. */
  readonly offered: string[] = [];
  /** How many of the next `receive` calls fail. */
  failures = 0;
  readonly #cursors = new Map<string, string>();
  #gate: Promise<void> | undefined;
  #open = () => {};

  /** Nothing is accepted until `letIn`. */
  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  letIn(): void {
    this.#open();
    this.#gate = undefined;
  }

  async receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    this.offered.push(message.eventId);
    await this.#gate;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the disk is full");
    }
    const known = this.received.some(({ eventId }) => eventId === message.eventId);
    (known ? this.copies : this.received).push(message);
    if (cursor) this.#cursors.set(cursor.name, cursor.value);
  }

  async edited(edit: MessageEdit): Promise<void> {
    this.edits.push(edit);
  }

  async deleted(ref: MessageRef): Promise<void> {
    this.deletes.push(ref);
  }

  async cursor(name: string): Promise<string | undefined> {
    return this.#cursors.get(name);
  }

  async saveCursor({ name, value }: Cursor): Promise<void> {
    this.#cursors.set(name, value);
  }

  async chatMoved(): Promise<void> {}

  get texts(): string[] {
    return this.received.map(({ text }) => text);
  }

  /** The message with this text, once it is there. */
  message(text: string): Promise<InboundMessage> {
    return until(`"${text}" is received`, () => this.received.find((message) => message.text === text), {
      found: () => this.texts,
    });
  }
}
