/** What waits for the device, what it has acknowledged, and what was lost in between. */
import type { WebSocket } from "ws";

interface Delivery {
  number: number;
  frame: object;
  /** The connection that acknowledged it. */
  by?: WebSocket;
  /** Of the message; undefined: it is none. */
  id: string | undefined;
  tokens: readonly string[];
}

interface Doubt {
  sinceMs: number;
  isLost: boolean;
}

/** If the gateway has a message, its answer is there so long after a new login. */
const ANSWERED_WITHIN_MS = 8000;

export class Deliveries {
  #all: Delivery[] = [];
  #numbers = 0;
  /** Messages that were acknowledged and not marked as read when their connection ended. */
  readonly #doubts = new Map<Delivery, Doubt>();
  /** What is kept back, to come in another order. */
  #held: Delivery[] | undefined;
  readonly #push: (frame: object) => void;

  constructor(push: (frame: object) => void) {
    this.#push = push;
  }

  /** How many are not acknowledged. */
  get waiting(): number {
    return this.#all.filter(({ by }) => by === undefined).length;
  }

  add(frame: object, id?: string): void {
    this.#numbers += 1;
    const tokens = id === undefined ? [] : (JSON.stringify(frame).match(/\bm\d+x\d+\b/g) ?? []);
    const delivery = { number: this.#numbers, frame, id, tokens };
    this.#all.push(delivery);
    if (this.#held) this.#held.push(delivery);
    else this.#push({ ...frame, number: delivery.number });
  }

  hold(): void {
    this.#held ??= [];
  }

  /** Delivers what was kept back, the last first. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { frame, number } of held.reverse()) this.#push({ ...frame, number });
  }

  /** A new login gets what waits. */
  again(): void {
    for (const doubt of this.#doubts.values()) doubt.sinceMs = Date.now();
    for (const delivery of this.#all)
      if (delivery.by === undefined && !this.#held?.includes(delivery))
        this.#push({ ...delivery.frame, number: delivery.number, late: true });
  }

  acknowledged(number: number, by: WebSocket): void {
    const delivery = this.#all.find((one) => one.number === number);
    if (delivery) delivery.by ??= by;
  }

  /** Only a gateway that has stored a message marks it as read. */
  read(ids: readonly string[]): void {
    this.#all = this.#all.filter(({ id = "", by }) => by === undefined || !ids.includes(id));
  }

  gone(socket: WebSocket): void {
    for (const delivery of this.#all)
      if (delivery.by === socket && delivery.id !== undefined)
        this.#doubts.set(delivery, { sinceMs: Number.POSITIVE_INFINITY, isLost: false });
    this.#all = this.#all.filter(({ by }) => by !== socket);
  }

  /** Tokens of messages that were acknowledged in vain: the gateway died before it had them. */
  lostTokens(isAnswered: (token: string) => boolean): string[] {
    for (const [{ tokens }, doubt] of this.#doubts)
      if (Date.now() - doubt.sinceMs > ANSWERED_WITHIN_MS) doubt.isLost ||= !tokens.some(isAnswered);
    return [...this.#doubts].flatMap(([{ tokens }, { isLost }]) => (isLost ? tokens : []));
  }
}
