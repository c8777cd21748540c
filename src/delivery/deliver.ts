import PQueue from "p-queue";
import { type Adapter, canFindPreview, canLookUp } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { SendError } from "../errors.js";
import { killPoint } from "../kill-point.js";
import type { OutboundMessage, Target } from "../message.js";
import { nextAttempt } from "../policies/retry.js";
import type { DeliveryOutcome, OutboxRow, Penalty, Share } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { TraceId } from "../trace-id.js";
import type { Pace } from "./pace.js";

/** Outbox rows → adapter.send → what became of them. In each chat in order; a chat that waits holds up no other. */
export interface DeliveryOptions {
  store: Store;
  bootId: string;
  share?: Share | undefined;
  adapterFor(target: Target): Adapter | undefined;
  /** What to do when nobody knows whether a send arrived. */
  unknown: "resend" | "hold";
  pace: Pace;
  /** `startedAt`: when its send began. */
  settled(row: OutboxRow, outcome: DeliveryOutcome, startedAt: number): void;
  penalised(penalty: Penalty, scope: SendError["scope"], seconds: number): void;
  onError(error: unknown, traceId?: TraceId): void;
}

interface Settled {
  row: OutboxRow;
  outcome: DeliveryOutcome;
  /** When its send began. */
  startedAt: number;
}

const AT_ONCE = 64;
const SEND_TIMEOUT_MS = 60_000;
/** Rows that wait for their time are looked for so often. */
const POLL_MS = 1000;
const NO_ADAPTER_RETRY_SECONDS = 60;
const GIVE_UP_AFTER_SECONDS = 86_400;

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #sends = new PQueue({ concurrency: AT_ONCE });
  /** What became of sends whose end could not be stored (a full disk, say). Their chats wait, so they stay few. */
  readonly #unstored = new Map<number, Settled>();
  #poll: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#poll = setInterval(() => this.wake(), POLL_MS);
    this.wake();
  }

  /** Something may be ready. Cheap to call often. */
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

  /** Sends that are under way end; the rest waits in the outbox. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    // What it claims is sent as well: left alone, nobody would know whether it arrived.
    await this.#claiming;
    await this.#sends.onIdle();
    await this.#storeLeft();
  }

  /** After a crash: the platform's own memory decides where it has one, the configured policy elsewhere. */
  async settleUnknown(rows: readonly OutboxRow[]): Promise<void> {
    for (const row of rows.map((found) => this.#addressed(found))) {
      const startedAt = nowSeconds();
      await this.#settle({
        row,
        outcome: await this.#lookUp(row, "the gateway died in the send"),
        startedAt,
      });
    }
    this.wake();
  }

  /** Asks the platform whether a send has arrived, where it can be asked. */
  async #lookUp(row: OutboxRow, error: string): Promise<DeliveryOutcome> {
    const adapter = this.#options.adapterFor(row.target);
    if (!adapter || !canLookUp(adapter)) return this.#afterUnknown(error);
    try {
      const found = await adapter.lookUp(toMessage(row), AbortSignal.timeout(SEND_TIMEOUT_MS));
      if (found === "unknown") return this.#afterUnknown(error);
      if (found === "missing" || found === "partly")
        return { state: "pending", waitSeconds: 0, error, mayBeRepeat: found === "partly" };
      return { state: "sent", messageIds: found.messageIds };
    } catch (failure) {
      this.#options.onError(failure, row.traceId);
      return this.#afterUnknown(error);
    }
  }

  async #claim(): Promise<void> {
    try {
      const room = AT_ONCE - this.#sends.size - this.#sends.pending;
      if (room <= 0) return;
      await this.#storeLeft();
      const { store, bootId, share } = this.#options;
      const rows = await store.claimDeliveries(bootId, room, share);
      for (const row of rows) void this.#sends.add(() => this.#deliver(this.#addressed(row)));
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** A message to a chat that nobody has written from names no bot: the platform's own takes it. */
  #addressed(row: OutboxRow): OutboxRow {
    if (row.target.account !== "") return row;
    const account = this.#options.adapterFor(row.target)?.account ?? "";
    return { ...row, target: { ...row.target, account } };
  }

  async #deliver(row: OutboxRow): Promise<void> {
    const startedAt = nowSeconds();
    await this.#settle({ row, outcome: await this.#send(row), startedAt });
    this.wake();
  }

  /** False: it could not be stored, and is tried again soon. */
  async #settle(settled: Settled): Promise<boolean> {
    const { row, outcome, startedAt } = settled;
    try {
      await this.#options.store.settleDelivery(row.id, outcome);
    } catch (error) {
      this.#unstored.set(row.id, settled);
      this.#options.onError(error, row.traceId);
      return false;
    }
    this.#unstored.delete(row.id);
    killPoint("settled");
    this.#options.settled(row, outcome, startedAt);
    return true;
  }

  async #storeLeft(): Promise<void> {
    for (const left of this.#unstored.values()) if (!(await this.#settle(left))) return;
  }

  async #send(row: OutboxRow): Promise<DeliveryOutcome> {
    const adapter = this.#options.adapterFor(row.target);
    if (!adapter) {
      const error = `no adapter for ${row.target.platform}`;
      return this.#tryAgain(row, error, NO_ADAPTER_RETRY_SECONDS);
    }
    const { pace } = this.#options;
    const waitSeconds = pace.waitSeconds(row.target, adapter.pace?.(row.target));
    if (waitSeconds > 0)
      return {
        state: "pending",
        waitSeconds,
        error: "waiting its turn",
        mayBeRepeat: false,
        postponed: true,
      };
    try {
      const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
      killPoint("before-send");
      const receipt = await adapter.send(await this.#inItsPlace(adapter, row, signal), signal);
      pace.sent(row.target, receipt.messageIds.length);
      killPoint("sent");
      return { state: "sent", messageIds: receipt.messageIds };
    } catch (error) {
      return this.#afterFailure(row, error);
    }
  }

  /**
   * An unfinished answer may stand in the chat under an id that nobody knows. Where it can be found it becomes the
   * answer; elsewhere the answer says that it may be a repeat.
   */
  async #inItsPlace(adapter: Adapter, row: OutboxRow, signal: AbortSignal): Promise<OutboundMessage> {
    const message = toMessage(row);
    if (row.lostPreviewOf === null) return message;
    if (!canFindPreview(adapter)) return { ...message, mayBeRepeat: true };
    const found = await adapter.findPreview({ ...row.target, replyTo: row.lostPreviewOf }, signal);
    if (found === null || !(await this.#options.store.foundPreview(row.id, found))) return message;
    return { ...message, replaces: found };
  }

  async #penalise(row: OutboxRow, error: SendError, delayMs: number): Promise<void> {
    const { pace, store, onError, penalised } = this.#options;
    const penalty = pace.penalise(row.target, error.scope, delayMs / 1000);
    penalised(penalty, error.scope, delayMs / 1000);
    await store.savePenalty(penalty).catch((failure: unknown) => onError(failure, row.traceId));
  }

  async #afterFailure(row: OutboxRow, error: unknown): Promise<DeliveryOutcome> {
    const message = error instanceof Error ? error.message : String(error);
    const outcome = error instanceof SendError ? error.outcome : "unknown";
    if (outcome === "refused") return { state: "dead", error: message };
    if (outcome === "unknown") return this.#lookUp(row, message);
    const asked = error instanceof SendError ? error.retryAfterMs : undefined;
    if (asked !== undefined) await this.#penalise(row, error as SendError, asked);
    const delayMs = asked ?? nextAttempt({ attempts: row.attempts, random: Math.random });
    // What this process remembers of its parts, the next one doesn't.
    const mayBeRepeat = error instanceof SendError && error.partly;
    return this.#tryAgain(row, message, delayMs / 1000, mayBeRepeat);
  }

  #afterUnknown(error: string): DeliveryOutcome {
    if (this.#options.unknown === "hold") return { state: "unknown", error };
    return { state: "pending", waitSeconds: 1, error, mayBeRepeat: true };
  }

  #tryAgain(row: OutboxRow, error: string, waitSeconds: number, mayBeRepeat = false): DeliveryOutcome {
    if (nowSeconds() - row.createdAt > GIVE_UP_AFTER_SECONDS) return { state: "dead", error };
    return { state: "pending", waitSeconds, error, mayBeRepeat };
  }
}

function toMessage(row: OutboxRow): OutboundMessage {
  const { id, traceId, nonce, kind, target, text, turnId, mayBeRepeat, replaces, details } = row;
  const files = row.files.filter((file) => "path" in file);
  return {
    ...{ id, traceId, nonce, kind, target, text, turnId, mayBeRepeat },
    ...(replaces === null ? {} : { replaces }),
    ...(files.length === 0 ? {} : { files }),
    ...(details ? { details } : {}),
  };
}
