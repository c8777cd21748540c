import { setTimeout as sleep } from "node:timers/promises";
import {
  type Adapter,
  type CanStream,
  canDismiss,
  canFindPreview,
  canPreview,
  canStream,
  canType,
} from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { SendError } from "../errors.js";
import { hideTags } from "../media/tags.js";
import { type Target, targetOf } from "../message.js";
import type { InboxRow, LeftPreview, LeftPreviews } from "../store/queues.js";
import { withSignal } from "../timeout.js";
import type { Context } from "./context.js";
import { Preview } from "./preview.js";
import { Progress } from "./progress.js";
import type { Turn } from "./turn.js";

const CALL_TIMEOUT_MS = 10_000;
/** Chats that must wait longer are left for the next sweep. */
const MAX_WAIT_SECONDS = 2;
/** Abandoned previews that couldn't be edited for this long stay as they are. */
const MAX_AGE_SECONDS = 300;
/** The same limit after a start, because the gateway was down in between. */
const MAX_AGE_AFTER_START_SECONDS = 86_400;

type PreviewContext = Pick<
  Context,
  "store" | "bootId" | "config" | "log" | "pace" | "adapterFor" | "stopping" | "owners" | "secrets"
>;

/** What a chat sees before the answer is sent: the typing indicator, and the text as it is written. */
export class Previews {
  readonly #context: PreviewContext;
  /** Abandoned previews that are being edited, by the message they answer. */
  readonly #abandoning = new Map<number, Promise<void>>();

  constructor(context: PreviewContext) {
    this.#context = context;
  }

  typing({ adapter, target, first }: Turn): void {
    if (first.message.task || !adapter || !canType(adapter)) return;
    if (this.#context.pace.isOpen(target)) adapter.type(target);
  }

  /** `text`: the whole text so far, with file tags. `status`: shown below it. */
  update(turn: Turn, text: string, status = ""): void {
    const { adapter, target, first, id } = turn;
    const { task, request } = first.message;
    if (!adapter || task || !(request?.stream ?? this.#context.config.streaming.enabled)) return;
    if (canPreview(adapter)) adapter.preview(target, id, this.shownOf(turn, text));
    if (canPreview(adapter) || !canStream(adapter)) return;
    turn.preview ??= this.#open(adapter, turn);
    const whole = () => [this.shownOf(turn, text), status].filter((part) => part !== "").join("\n\n");
    turn.preview.update(whole, status !== "");
  }

  /** Shows what the turn does besides writing, in chats whose messages can be edited. */
  progress({ adapter, first }: Turn, changed: () => void): Progress {
    const { display } = this.#context.config;
    const isShown = adapter && canStream(adapter) && !canPreview(adapter) && !first.message.task;
    const tools = display.platforms[first.message.platform]?.tool_progress ?? display.tool_progress;
    return new Progress({
      tools: isShown ? tools : "off",
      longRunningMs: isShown ? display.long_running_seconds * 1000 : 0,
      changed,
    });
  }

  /** Redacts what the chat sees. Runs last: removed tags and joined messages may have split a secret. */
  shownOf({ session }: Turn, text: string): string {
    const visible = hideTags(text);
    return this.#context.secrets.of("answer", { sessionId: session.id }).redact(visible);
  }

  /** Ends the preview before the answer is stored, so that its message id is final. */
  async end(turn: Turn): Promise<void> {
    const { preview } = turn;
    if (!preview) return;
    await preview.end();
    turn.shown = preview.left;
    turn.preview = undefined;
  }

  /** The turn ended without an answer. `silent`: the chat gets no other reply either. */
  async drop({ adapter, target, first, id, key, shown }: Turn, silent: boolean): Promise<void> {
    if (adapter && canPreview(adapter)) adapter.dropPreview?.(target, id);
    if (silent && shown === undefined) this.dismiss(first);
    if (adapter && canStream(adapter)) await this.settle({ sessionKey: key });
  }

  /** The message gets no reply: removes the signs that it is being worked on. */
  dismiss(row: InboxRow): void {
    const target = targetOf(row.message);
    const adapter = this.#context.adapterFor(target);
    if (adapter && canDismiss(adapter)) adapter.dismiss(target);
  }

  #open(adapter: Adapter & CanStream, { id, first, target, shown }: Turn): Preview {
    const { store, bootId, config, log, pace } = this.#context;
    const claim = { inboxId: first.id, turnId: id, bootId };
    const { edit_interval, buffer_threshold, cursor } = config.streaming;
    const options = {
      adapter,
      target,
      record: {
        begin: () => store.recordPreview({ step: "begin", ...claim }),
        name: (messageId: string | null) => store.recordPreview({ step: "posted", messageId, ...claim }),
      },
      everyMs: edit_interval * 1000,
      minChars: buffer_threshold,
      cursor,
      isOpen: () => pace.isOpen(target, adapter.pace?.(target)),
      counted: () => pace.sent(target),
      failed: (error: unknown) =>
        log.debug({ err: error, traceId: first.traceId, turnId: id }, "preview failed"),
    };
    return new Preview(options, shown);
  }

  // ── abandoned: the answer never comes ─────────────────────────────────────────────────────────────────────────

  /**
   * Removes the cursor from abandoned previews and deletes empty ones. Resolves when all, or those of one
   * session, are done or postponed. Never rejects.
   */
  async settle(which: Omit<LeftPreviews, "since"> = {}): Promise<void> {
    await this.#settle({ since: nowSeconds() - MAX_AGE_SECONDS, ...which });
  }

  /** The same, including previews of earlier starts. */
  async settleOld(): Promise<void> {
    await this.#settle({ since: nowSeconds() - MAX_AGE_AFTER_START_SECONDS });
  }

  async #settle(which: LeftPreviews): Promise<void> {
    const { store, owners, stopping } = this.#context;
    if (stopping.aborted) return;
    try {
      const left = await store.leftPreviews(which, owners);
      await Promise.all(left.map((preview) => this.#abandonOnce(preview)));
    } catch (error) {
      this.#failed(error);
    }
  }

  #abandonOnce(preview: LeftPreview): Promise<void> {
    const { inboxId } = preview;
    const running = this.#abandoning.get(inboxId);
    if (running) return running;
    const work = this.#abandon(preview).finally(() => this.#abandoning.delete(inboxId));
    this.#abandoning.set(inboxId, work);
    return work;
  }

  async #abandon(preview: LeftPreview): Promise<void> {
    const { target } = preview;
    const adapter = this.#context.adapterFor(target);
    if (!adapter || !canStream(adapter)) return;
    try {
      if (!(await this.#mayEdit(adapter, target))) return;
      await this.#finalise(adapter, preview);
      await this.#settled(preview);
    } catch (error) {
      this.#failed(error, preview);
      if (error instanceof SendError) await this.#afterFailure(preview, error);
    }
  }

  async #mayEdit(adapter: Adapter, target: Target): Promise<boolean> {
    const { pace, stopping } = this.#context;
    const waitSeconds = pace.waitSeconds(target, adapter.pace?.(target));
    if (waitSeconds > MAX_WAIT_SECONDS) return false;
    if (waitSeconds > 0) await sleep(waitSeconds * 1000, undefined, { signal: stopping });
    return true;
  }

  async #finalise(adapter: Adapter & CanStream, preview: LeftPreview): Promise<void> {
    const { pace, stopping } = this.#context;
    const { target, messageId, text } = preview;
    await withSignal({ signals: [stopping], ms: CALL_TIMEOUT_MS }, async (signal) => {
      const id = messageId ?? (await this.#find(adapter, preview, signal));
      if (id === null) return;
      pace.sent(target);
      await adapter.abandon(target, id, text.trim(), signal);
    });
  }

  /** Also null if the message shows another answer. */
  async #find(
    adapter: Adapter,
    { target, inboxId }: LeftPreview,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (!canFindPreview(adapter)) return null;
    const found = await adapter.findPreview(target, signal);
    const { store, owners } = this.#context;
    const isOurs = await store.recordPreview({ step: "found", inboxId, messageId: found, owners });
    return isOurs ? found : null;
  }

  async #afterFailure(preview: LeftPreview, error: SendError): Promise<void> {
    const { pace } = this.#context;
    const { target } = preview;
    if (error.retryAfterMs !== undefined) pace.penalise(target, error.scope, error.retryAfterMs / 1000);
    if (error.outcome !== "refused") return;
    await this.#settled(preview).catch((failure: unknown) => this.#failed(failure, preview));
  }

  async #settled({ inboxId }: LeftPreview): Promise<void> {
    const { store, owners } = this.#context;
    await store.recordPreview({ step: "settled", inboxId, owners });
  }

  #failed(error: unknown, preview?: LeftPreview): void {
    this.#context.log.debug({ err: error, traceId: preview?.traceId }, "left an abandoned preview as it is");
  }
}
