import type { CanStream } from "../adapters/adapter.js";
import { SendError } from "../errors.js";
import { killPoint } from "../kill-point.js";
import type { Target } from "../message.js";

/**
 * Shows an answer while it is being written, in a message that is edited at the platform's pace: always the
 * newest text, one call at a time. Failures are ignored, because the answer itself is sent from the outbox.
 *
 *   empty ── posting ──► posting ── show succeeds ──► shown ── edits ──► shown
 *              ▲            ├── certainly not posted ──► empty
 *              │            └── outcome unknown ───────► lost (no second message: the answer looks for this one)
 *              └── an earlier reply is still pending ──► empty, tried again later
 */
type State = { is: "empty" } | { is: "posting" } | { is: "shown"; messageId: string } | { is: "lost" };

/** Stores the state, so that after a crash the answer replaces the preview. */
export interface PreviewRecord {
  /** A message is about to be posted. False if an earlier reply in this chat is still pending. */
  begin(): Promise<boolean>;
  /** It was posted with this id; null if it wasn't posted. */
  name(messageId: string | null): Promise<unknown>;
}

export interface PreviewOptions {
  adapter: CanStream;
  target: Target;
  record: PreviewRecord;
  everyMs: number;
  /** Shorter texts aren't shown. */
  minChars: number;
  cursor: string;
  isOpen(): boolean;
  /** Called for every post and every edit. */
  counted(): void;
  failed(error: unknown): void;
}

const SHOW_TIMEOUT_MS = 10_000;
const MAX_STRIKES = 3;

export class Preview {
  readonly #options: PreviewOptions;
  #state: State;
  #latest: () => string = () => "";
  #grown = false;
  #isShort = false;
  #showing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastShownMs = Number.NEGATIVE_INFINITY;
  #shownText = "";
  #strikes = 0;
  #tooEarly = false;
  #ended = false;
  /** Cancels a call that hasn't posted anything yet. */
  #cancel = new AbortController();

  /** `earlier`: the preview of an earlier attempt at the same answer: its id, or null if the id was lost. */
  constructor(options: PreviewOptions, earlier?: string | null) {
    this.#options = options;
    if (earlier === undefined) this.#state = { is: "empty" };
    else this.#state = earlier === null ? { is: "lost" } : { is: "shown", messageId: earlier };
  }

  /** The message that shows it: its id, null if the id is unknown, undefined if there is none. */
  get left(): string | null | undefined {
    if (this.#state.is === "empty") return undefined;
    return this.#state.is === "shown" ? this.#state.messageId : null;
  }

  /** There is more text; `text` is called when it is time to show it. `isShort`: show it even if it is short. */
  update(text: () => string, isShort = false): void {
    this.#latest = text;
    this.#isShort = isShort;
    this.#grown = true;
    this.#schedule();
  }

  /** After it resolves, nothing more is shown. A call that hangs must not delay the answer. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    if (this.#state.is === "empty") this.#cancel.abort();
    await this.#showing;
  }

  #schedule(): void {
    const isOver = this.#ended || this.#strikes >= MAX_STRIKES || this.#state.is === "lost";
    if (isOver || this.#timer || this.#showing || !this.#grown) return;
    const waitMs = Math.max(0, this.#lastShownMs + this.#options.everyMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#showing = this.#show().finally(() => {
        this.#showing = undefined;
        this.#schedule();
      });
    }, waitMs);
  }

  async #show(): Promise<void> {
    const { adapter, target, cursor, minChars, isOpen, counted } = this.#options;
    const text = this.#latest();
    const isOpenNow = isOpen();
    if (isOpenNow) this.#grown = false;
    else this.#lastShownMs = performance.now();
    const isWorthIt = text.trim().length >= (this.#isShort ? 1 : minChars) && text !== this.#shownText;
    if (this.#ended || !isOpenNow || !isWorthIt) return;
    this.#cancel = new AbortController();
    this.#tooEarly = false;
    const signal = AbortSignal.any([this.#cancel.signal, AbortSignal.timeout(SHOW_TIMEOUT_MS)]);
    const id = this.#state.is === "shown" ? this.#state.messageId : null;
    try {
      await this.#shown(await adapter.show(target, id, text + cursor, signal, this.#begin));
      this.#shownText = text;
    } catch (error) {
      this.#grown = true;
      if (!this.#tooEarly) await this.#afterFailure(error);
    } finally {
      if (!this.#tooEarly) counted();
      this.#lastShownMs = performance.now();
    }
  }

  /** Called by the adapter before it posts a message. */
  readonly #begin = async (): Promise<void> => {
    if (this.#cancel.signal.aborted) throw new SendError("never_sent", "The answer is ready");
    const before = this.#state;
    this.#state = { is: "posting" };
    const restore = () => {
      this.#state = before;
    };
    const mayPost = await this.#options.record.begin().catch((error: unknown) => {
      restore();
      throw error;
    });
    if (mayPost) return;
    restore();
    this.#tooEarly = true;
    throw new SendError("never_sent", "An earlier reply in this chat is still pending");
  };

  async #shown(id: string | null): Promise<void> {
    killPoint("preview-shown");
    const isNew = this.#state.is !== "shown" || this.#state.messageId !== id;
    if (id !== null && isNew) await this.#options.record.name(id);
    this.#state = id === null ? { is: "empty" } : { is: "shown", messageId: id };
    this.#strikes = 0;
  }

  async #afterFailure(error: unknown): Promise<void> {
    const { record, failed } = this.#options;
    this.#strikes += 1;
    failed(error);
    if (this.#state.is !== "posting") return;
    const wasPosted = !(error instanceof SendError) || error.outcome === "unknown";
    this.#state = { is: wasPosted ? "lost" : "empty" };
    if (!wasPosted) await record.name(null).catch(failed);
  }
}
