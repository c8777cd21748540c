import { setTimeout as sleep } from "node:timers/promises";
import { type Adapter, type CanStream, canFindPreview, canStream } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { SendError } from "../errors.js";
import type { Target } from "../message.js";
import type { LeftPreview, LeftPreviews, Share } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { TraceId } from "../trace-id.js";
import type { Pace } from "./pace.js";

/**
 * Answers that were shown while they were written and never came: what stands in the chat keeps its words and loses the
 * sign that more will follow; without words it goes. Beside the turns, and soon given up: nothing hangs on it.
 */
export interface UnfinishedOptions {
  store: Store;
  share?: Share | undefined;
  adapterFor(target: Target): Adapter | undefined;
  pace: Pace;
  /** The gateway stops: the rest waits for the next start. */
  signal: AbortSignal;
  failed(error: unknown, traceId?: TraceId): void;
}

const CALL_TIMEOUT_MS = 10_000;
/** A chat that makes us wait longer is left for the next look. */
const PATIENCE_SECONDS = 2;
/** What could not be done for so long after its turn is left as it is. */
const WORTH_IT_SECONDS = 300;
/** After a start: nobody could do it before. */
const SINCE_LAST_START_SECONDS = 86_400;

export class Unfinished {
  readonly #options: UnfinishedOptions;
  /** By the message that they answer; as many as one look finds. */
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(options: UnfinishedOptions) {
    this.#options = options;
  }

  /** Resolves when all of them, or those of one conversation, are done or given up for now. Never rejects. */
  async settle(which: Omit<LeftPreviews, "since"> = {}): Promise<void> {
    await this.#settle({ since: nowSeconds() - WORTH_IT_SECONDS, ...which });
  }

  /** The same, with what an earlier start left behind. */
  async settleOld(): Promise<void> {
    await this.#settle({ since: nowSeconds() - SINCE_LAST_START_SECONDS });
  }

  async #settle(which: LeftPreviews): Promise<void> {
    const { store, share, signal, failed } = this.#options;
    if (signal.aborted) return;
    try {
      const left = await store.leftPreviews(which, share);
      await Promise.all(left.map((preview) => this.#once(preview)));
    } catch (error) {
      failed(error);
    }
  }

  #once(preview: LeftPreview): Promise<void> {
    const { inboxId } = preview;
    const running = this.#underWay.get(inboxId);
    if (running) return running;
    const work = this.#end(preview).finally(() => this.#underWay.delete(inboxId));
    this.#underWay.set(inboxId, work);
    return work;
  }

  async #end(preview: LeftPreview): Promise<void> {
    const { store, adapterFor, failed } = this.#options;
    const { inboxId, target, traceId } = preview;
    const adapter = adapterFor(target);
    if (!adapter || !canStream(adapter)) return;
    try {
      if (!(await this.#mayGo(adapter, target))) return;
      await this.#breakOff(adapter, preview);
      await store.settlePreview(inboxId);
    } catch (error) {
      failed(error, traceId);
      if (error instanceof SendError) await this.#afterFailure(preview, error);
    }
  }

  async #mayGo(adapter: Adapter, target: Target): Promise<boolean> {
    const { pace, signal } = this.#options;
    const waitSeconds = pace.waitSeconds(target, adapter.pace?.(target));
    if (waitSeconds > PATIENCE_SECONDS) return false;
    if (waitSeconds > 0) await sleep(waitSeconds * 1000, undefined, { signal });
    return true;
  }

  async #breakOff(adapter: Adapter & CanStream, { target, messageId, text }: LeftPreview): Promise<void> {
    const { pace } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
    const id = messageId ?? (await this.#find(adapter, target, signal));
    if (id === null) return;
    pace.sent(target);
    await adapter.breakOff(target, id, text.trim(), signal);
  }

  async #find(adapter: Adapter, target: Target, signal: AbortSignal): Promise<string | null> {
    if (!canFindPreview(adapter)) return null;
    const found = await adapter.findPreview(target, signal);
    // What shows another answer isn't ours to end.
    return found !== null && (await this.#options.store.isPreview(found)) ? null : found;
  }

  async #afterFailure({ inboxId, target, traceId }: LeftPreview, error: SendError): Promise<void> {
    const { store, pace, failed } = this.#options;
    if (error.retryAfterMs !== undefined) pace.penalise(target, error.scope, error.retryAfterMs / 1000);
    if (error.outcome !== "refused") return;
    await store.settlePreview(inboxId).catch((failure: unknown) => failed(failure, traceId));
  }
}
