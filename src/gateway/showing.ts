import {
  type Adapter,
  type CanStream,
  canDismiss,
  canPreview,
  canStream,
  canType,
} from "../adapters/adapter.js";
import type { Pace } from "../delivery/pace.js";
import { Stream, StreamHandle } from "../delivery/stream.js";
import type { Unfinished } from "../delivery/unfinished.js";
import { type Target, targetOf } from "../message.js";
import type { InboxRow } from "../store/queues.js";
import type { GatewayParts } from "./parts.js";

export interface ShowingOptions extends Pick<GatewayParts, "store" | "config" | "log"> {
  adapterFor(target: Target): Adapter | undefined;
  pace: Pace;
  unfinished: Unfinished;
}

/** What a chat sees of an answer before it is there: that somebody types, and the words while they are written. */
export class Showing {
  readonly #options: ShowingOptions;
  /** By their turn; as many as turns run. */
  readonly #streams = new Map<string, StreamHandle>();

  constructor(options: ShowingOptions) {
    this.#options = options;
  }

  typing(row: InboxRow): void {
    if (row.message.errand) return;
    const { adapter, target } = this.#placeOf(row);
    if (adapter && canType(adapter) && this.#options.pace.isOpen(target)) adapter.type(target);
  }

  words(row: InboxRow, turnId: string, text: string): void {
    const { errand, request } = row.message;
    if (errand || !(request?.stream ?? this.#options.config.streaming.enabled)) return;
    const { adapter, target } = this.#placeOf(row);
    if (adapter && canPreview(adapter)) adapter.preview(target, turnId, text);
    else if (adapter && canStream(adapter)) this.#stream(adapter, row, turnId).update(text);
  }

  /** Before the answer is stored: whatever shows it has its last say, and its id is known. */
  async end(turnId: string): Promise<void> {
    const stream = this.#streams.get(turnId);
    this.#streams.delete(turnId);
    await stream?.end();
  }

  /** No answer comes of it. Where nothing else is said to it either and nothing was shown, nobody waits any more. */
  async drop(row: InboxRow, turnId: string, untold: boolean): Promise<void> {
    const { store, unfinished } = this.#options;
    const { adapter, target } = this.#placeOf(row);
    if (adapter && canPreview(adapter)) adapter.dropPreview?.(target, turnId);
    if (untold && (await store.getPreview(row.id)) === undefined) this.dismiss(row);
    if (adapter && canStream(adapter)) await unfinished.settle({ sessionKey: row.sessionKey });
  }

  /** Nothing will be said to it. */
  dismiss(row: InboxRow): void {
    const { adapter, target } = this.#placeOf(row);
    if (adapter && canDismiss(adapter)) adapter.dismiss(target);
  }

  #placeOf(row: InboxRow): { adapter: Adapter | undefined; target: Target } {
    const target = targetOf(row.message);
    return { adapter: this.#options.adapterFor(target), target };
  }

  #stream(adapter: Adapter & CanStream, row: InboxRow, turnId: string): StreamHandle {
    const running = this.#streams.get(turnId);
    if (running) return running;
    const { store, config, log, pace } = this.#options;
    const target = targetOf(row.message);
    const { edit_interval, buffer_threshold, cursor } = config.streaming;
    const showAt = (messageId: string | null) =>
      new Stream({
        adapter,
        target,
        messageId,
        everyMs: edit_interval * 1000,
        leastChars: buffer_threshold,
        cursor,
        isOpen: () => pace.isOpen(target, adapter.pace?.(target)),
        counted: () => pace.sent(target),
        posting: () => store.notePreview(row.id),
        shown: (id) => store.savePreview(row.id, id),
        notShown: () => store.forgetPreview(row.id),
        failed: (error) => log.debug({ err: error, traceId: row.traceId, turnId }, "preview failed"),
      });
    // Beside one whose id was lost no second one is shown: the answer will look for it.
    const stream = new StreamHandle(
      store.getPreview(row.id).then((shown) => (shown === null ? undefined : showAt(shown ?? null))),
    );
    this.#streams.set(turnId, stream);
    return stream;
  }
}
