import PQueue from "p-queue";
import type { Adapter } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { SendError } from "../errors.js";
import { killPoint } from "../kill-point.js";
import type { Target } from "../message.js";
import { nextAttempt } from "../policies/retry.js";
import type { Claim, DeliveryOutcome, OutboxRow, Penalty } from "../store/queues.js";
import type { TraceId } from "../trace-id.js";
import type { Context } from "./context.js";
import { deliverySettled } from "./event-facts.js";
import { PartSender } from "./part-sender.js";

type DeliveryContext = Pick<
  Context,
  "store" | "bootId" | "owners" | "adapterFor" | "pace" | "config" | "events" | "log" | "secrets"
>;

interface Settled {
  row: OutboxRow;
  outcome: DeliveryOutcome;
  /** When the send started. */
  startedAt: number;
  /** Missing if there was no attempt. */
  sender?: PartSender | undefined;
}

const MAX_SENDS = 64;
const SEND_TIMEOUT_MS = 60_000;
/** How often to check for rows that have become due. */
const POLL_MS = 1000;
const NO_ADAPTER_RETRY_SECONDS = 60;
const GIVE_UP_AFTER_SECONDS = 86_400;

/** Outbox rows → parts → outcomes. In order per chat; a waiting chat doesn't block others. */
export class Delivery {
  readonly #context: DeliveryContext;
  readonly #sends = new PQueue({ concurrency: MAX_SENDS });
  /** Outcomes that could not be stored (disk full, for example). Bounded, because their chats wait. */
  readonly #unstored = new Map<number, Settled>();
  /** Running sends, by row. */
  readonly #running = new Map<OutboxRow, Promise<void>>();
  #poll: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #again = false;
  /** The last claim didn't cover the whole outbox. */
  #more = false;
  #closed = false;

  constructor(context: DeliveryContext) {
    this.#context = context;
  }

  start(): void {
    this.#poll = setInterval(() => this.wake(), POLL_MS);
    this.wake();
  }

  /** Call when there may be something to send. Cheap to call often. */
  wake(): void {
    if (this.#closed) return;
    if (this.#claiming) {
      this.#again = true;
      return;
    }
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = undefined;
      if (!this.#again) return;
      this.#again = false;
      this.wake();
    });
  }

  /** For a transaction that adds to the outbox and claims its rows at the same time. Undefined if they must wait. */
  claim(adapter?: Adapter): Claim | undefined {
    if (this.#room === 0) this.#more = true;
    const { bootId, owners } = this.#context;
    return this.#closed || this.#room === 0
      ? undefined
      : { bootId, owners, sends: adapter?.pullsReplies === true };
  }

  /** Sends rows that were claimed. */
  take(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const addressed = this.#addressed(row);
      // A stored answer takes no place among the sends.
      if (row.state === "sent") void this.#track(addressed);
      else void this.#sends.add(() => this.#track(addressed));
    }
  }

  /** Resolves when no matching send is running. Never rejects. */
  async idle(isMeant: (target: Target) => boolean): Promise<void> {
    const running = [...this.#running].filter(([{ target }]) => isMeant(target));
    await Promise.allSettled(running.map(([, end]) => end));
  }

  async #track(row: OutboxRow): Promise<void> {
    const end = (row.state === "sent" ? this.#notify(row) : this.#deliver(row)).finally(() =>
      this.#running.delete(row),
    );
    this.#running.set(row, end);
    await end;
  }

  get #room(): number {
    return Math.max(0, MAX_SENDS - this.#sends.size - this.#sends.pending);
  }

  /** Running sends finish; the rest waits in the outbox. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    // Rows claimed in the meantime are sent too; otherwise their outcome would be unknown.
    await this.#claiming;
    await this.#sends.onIdle();
    await Promise.allSettled(this.#running.values());
    await this.#storeLeft();
  }

  /** After a crash: asks the platform what arrived, if it can tell; otherwise `delivery.unknown` decides. */
  async settleUnknown(rows: readonly OutboxRow[]): Promise<void> {
    await Promise.all(rows.map((row) => this.#settleOne(this.#addressed(row))));
    this.wake();
  }

  async #settleOne(row: OutboxRow): Promise<void> {
    const error = "the gateway crashed during the send";
    const startedAt = nowSeconds();
    const sender = this.#senderOf(row);
    if (sender instanceof PartSender)
      return void (await this.#settle({
        row,
        outcome: await this.#lookUp(sender, error),
        startedAt,
        sender,
      }));
    await this.#settle({ row, outcome: sender ?? this.#afterUnknown(error), startedAt });
  }

  /** Undefined if there is no adapter; an outcome if it can't be sent at all. */
  #senderOf(row: OutboxRow): PartSender | DeliveryOutcome | undefined {
    const adapter = this.#context.adapterFor(row.target);
    if (!adapter) return undefined;
    try {
      const sender = new PartSender(this.#context, adapter, row);
      return sender.isEmpty ? { state: "dead", error: "Nothing to send" } : sender;
    } catch (error) {
      this.#failed(error, row.traceId);
      return { state: "dead", error: `It can't be rendered: ${messageOf(error)}` };
    }
  }

  /** Asks the platform whether the next part has arrived, if it can tell. */
  async #lookUp(sender: PartSender, error: string): Promise<DeliveryOutcome> {
    try {
      const found = await sender.lookUpNext(AbortSignal.timeout(SEND_TIMEOUT_MS));
      if (sender.isDone) return { state: "sent", messageIds: sender.messageIds };
      if (found === "unknown") return this.#afterUnknown(error);
      return { state: "pending", waitSeconds: 0, error, mayBeRepeat: false };
    } catch (failure) {
      this.#failed(failure, sender.row.traceId);
      return this.#afterUnknown(error);
    }
  }

  async #claim(): Promise<void> {
    try {
      const room = this.#room;
      this.#more = room === 0;
      if (room === 0) return;
      await this.#storeLeft();
      const { store, bootId, owners } = this.#context;
      const rows = await store.claimDeliveries(bootId, room, owners);
      this.#more = rows.length === room;
      this.take(rows);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** A message to a chat without any messages has no account: the platform's first bot sends it. */
  #addressed(row: OutboxRow): OutboxRow {
    if (row.target.account !== "") return row;
    const account = this.#context.adapterFor(row.target)?.account ?? "";
    return { ...row, target: { ...row.target, account } };
  }

  async #deliver(row: OutboxRow): Promise<void> {
    const startedAt = nowSeconds();
    const sender = this.#senderOf(row);
    const isReady = sender instanceof PartSender;
    const outcome = isReady ? await this.#send(sender) : (sender ?? this.#noAdapter(row));
    await this.#settle({ row, outcome, startedAt, sender: isReady ? sender : undefined }, this.claim());
    if (this.#more || (outcome.state === "pending" && outcome.waitSeconds === 0)) this.wake();
  }

  /** Clients fetch the reply from the store, so nothing depends on whether one that waits hears of it. */
  async #notify(row: OutboxRow): Promise<void> {
    const startedAt = nowSeconds();
    const sender = this.#senderOf(row);
    const outcome = sender instanceof PartSender ? await this.#send(sender) : sender;
    if (outcome && outcome.state !== "sent") this.#failed(new Error(outcome.error), row.traceId);
    this.#context.events.emit(
      deliverySettled(row, { state: "sent", messageIds: [`out:${row.id}`] }, startedAt),
    );
  }

  /** False if it could not be stored; retried soon. */
  async #settle(settled: Settled, claim?: Claim): Promise<boolean> {
    const { row, outcome, startedAt, sender } = settled;
    let next: OutboxRow[];
    try {
      await sender?.save();
      next = await this.#context.store.settleDelivery(row.id, outcome, this.#context.bootId, claim);
    } catch (error) {
      this.#unstored.set(row.id, settled);
      this.#failed(error, row.traceId);
      return false;
    }
    this.#unstored.delete(row.id);
    killPoint("settled");
    this.#context.events.emit(deliverySettled(row, outcome, startedAt));
    this.take(next);
    return true;
  }

  async #storeLeft(): Promise<void> {
    for (const left of this.#unstored.values()) if (!(await this.#settle(left))) return;
  }

  #noAdapter(row: OutboxRow): DeliveryOutcome {
    return this.#tryAgain(row, `no adapter for ${row.target.platform}`, NO_ADAPTER_RETRY_SECONDS);
  }

  /** Sends part by part until its chat has to wait. */
  async #send(sender: PartSender): Promise<DeliveryOutcome> {
    try {
      while (!sender.isDone) {
        const waitSeconds = this.#waitSeconds(sender.row.target);
        if (waitSeconds > 0) return postponed(waitSeconds);
        await sender.sendNext(AbortSignal.timeout(SEND_TIMEOUT_MS));
      }
      return { state: "sent", messageIds: sender.messageIds };
    } catch (error) {
      return this.#afterFailure(sender, error);
    }
  }

  #waitSeconds(target: Target): number {
    const { pace, adapterFor } = this.#context;
    return pace.waitSeconds(target, adapterFor(target)?.pace?.(target));
  }

  /** The penalty is stored with the outcome. */
  #penalise(row: OutboxRow, error: SendError, delayMs: number): Penalty {
    const { pace, events } = this.#context;
    const seconds = delayMs / 1000;
    const penalty = pace.penalise(row.target, error.scope, seconds);
    const { platform, account } = penalty;
    events.emit({ type: "penalised", platform, account, scope: error.scope, seconds });
    return penalty;
  }

  async #afterFailure(sender: PartSender, error: unknown): Promise<DeliveryOutcome> {
    const { row } = sender;
    const message = messageOf(error);
    const outcome = error instanceof SendError ? error.outcome : "unknown";
    if (outcome === "refused") return { state: "dead", error: message };
    if (outcome === "unknown") return this.#lookUp(sender, message);
    const asked = error instanceof SendError ? error.retryAfterMs : undefined;
    const penalty = asked === undefined ? undefined : this.#penalise(row, error as SendError, asked);
    const delayMs = asked ?? nextAttempt({ attempts: row.attempts, random: Math.random });
    return { ...this.#tryAgain(row, message, delayMs / 1000), penalty };
  }

  #failed(error: unknown, traceId?: TraceId): void {
    this.#context.log.error({ err: error, traceId }, "delivery failed");
  }

  #afterUnknown(error: string): DeliveryOutcome {
    if (this.#context.config.delivery.unknown === "hold") return { state: "unknown", error };
    return { state: "pending", waitSeconds: 1, error, mayBeRepeat: true };
  }

  #tryAgain(
    row: OutboxRow,
    error: string,
    waitSeconds: number,
  ): DeliveryOutcome & { state: "pending" | "dead" } {
    if (nowSeconds() - row.createdAt > GIVE_UP_AFTER_SECONDS) return { state: "dead", error };
    return { state: "pending", waitSeconds, error, mayBeRepeat: false };
  }
}

function postponed(waitSeconds: number): DeliveryOutcome {
  const error = "waiting its turn";
  return { state: "pending", waitSeconds, error, mayBeRepeat: false, postponed: true };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
