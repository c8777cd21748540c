/** Events for the bot: delivered, acknowledged in time or redelivered, and given up after the last retry. */
import { randomUUID } from "node:crypto";

export type DeliveryType = "events_api" | "slash_commands" | "interactive";

export interface Delivery {
  readonly envelopeId: string;
  readonly type: DeliveryType;
  readonly payload: Record<string, unknown>;
  attempts: number;
  retryReason: string;
  state: "waiting" | "flying" | "acked" | "gave_up";
  ackPayload?: unknown;
  timer?: NodeJS.Timeout;
}

/** Sends one delivery to the bot. Returns false if there is no connection. */
export type Carrier = (delivery: Delivery) => boolean;

export interface DeliveryTimes {
  ackTimeoutMs: number;
  /** Slack's are 0, 1 and 5 minutes. */
  retryDelaysMs: readonly number[];
}

export class Deliveries {
  readonly all: Delivery[] = [];
  readonly #times: DeliveryTimes;
  readonly #changed: () => void;
  #carrier: Carrier = () => false;
  #held: Delivery[] | undefined;

  constructor(times: DeliveryTimes, changed: () => void) {
    this.#times = times;
    this.#changed = changed;
  }

  carryWith(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  submit(type: DeliveryType, payload: Record<string, unknown>): Delivery {
    const delivery: Delivery = {
      envelopeId: randomUUID(),
      type,
      payload,
      attempts: 0,
      retryReason: "",
      state: "waiting",
    };
    this.all.push(delivery);
    if (this.#held) this.#held.push(delivery);
    else this.#send(delivery);
    return delivery;
  }

  /** Holds new deliveries until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(order: "kept" | "reversed" = "kept"): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const delivery of order === "kept" ? held : held.reverse()) this.#send(delivery);
  }

  /** Delivers it again in a new envelope. */
  repeat(delivery: Delivery): void {
    this.submit(delivery.type, delivery.payload);
  }

  acknowledge(envelopeId: string, payload?: unknown): void {
    const delivery = this.all.find((d) => d.envelopeId === envelopeId);
    if (!delivery || delivery.state === "acked") return;
    clearTimeout(delivery.timer);
    delivery.state = "acked";
    delivery.ackPayload = payload;
    this.#changed();
  }

  failed(envelopeId: string, reason: string): void {
    const delivery = this.all.find((d) => d.envelopeId === envelopeId && d.state === "flying");
    if (delivery) this.#retry(delivery, reason);
  }

  /** Delivers all waiting deliveries, in order. */
  flush(): void {
    for (const delivery of this.all.filter((d) => d.state === "waiting")) {
      if (!this.#held?.includes(delivery)) this.#send(delivery);
    }
  }

  close(): void {
    for (const delivery of this.all) clearTimeout(delivery.timer);
    this.#carrier = () => false;
  }

  #send(delivery: Delivery): void {
    clearTimeout(delivery.timer);
    delivery.attempts += 1;
    delivery.state = "flying";
    delivery.timer = setTimeout(() => this.#retry(delivery, "timeout"), this.#times.ackTimeoutMs);
    if (!this.#carrier(delivery)) this.#retry(delivery, "connection_failed");
    this.#changed();
  }

  #retry(delivery: Delivery, reason: string): void {
    if (delivery.state === "acked") return;
    clearTimeout(delivery.timer);
    // Only events are redelivered; the user sees that a command failed.
    const delayMs =
      delivery.type === "events_api" ? this.#times.retryDelaysMs[delivery.attempts - 1] : undefined;
    delivery.retryReason = reason;
    delivery.state = delayMs === undefined ? "gave_up" : "waiting";
    if (delayMs !== undefined) delivery.timer = setTimeout(() => this.#send(delivery), delayMs);
    this.#changed();
  }
}
