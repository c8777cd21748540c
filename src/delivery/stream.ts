import type { CanStream } from "../adapters/adapter.js";
import { killPoint } from "../kill-point.js";
import type { Target } from "../message.js";

/**
 * An answer while it is written, shown at the platform's pace: the newest text, never two calls at once. Whatever goes
 * wrong here is dropped; the answer itself is sent from the outbox.
 */
export interface StreamOptions {
  adapter: CanStream;
  target: Target;
  /** A message that an earlier attempt at the same answer left behind. */
  messageId: string | null;
  everyMs: number;
  /** So much must stand before anything is shown. */
  leastChars: number;
  cursor: string;
  isOpen(): boolean;
  /** Called for every post and every edit. */
  counted(): void;
  /** The message exists: it must be remembered before it is edited again. */
  shown(messageId: string): Promise<void>;
  failed(error: unknown): void;
}

const SHOW_TIMEOUT_MS = 10_000;
const STRIKES_MAX = 3;

export class Stream {
  readonly #options: StreamOptions;
  #messageId: string | null;
  #latest = "";
  #showing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastShownMs = Number.NEGATIVE_INFINITY;
  #shownText = "";
  #strikes = 0;
  #ended = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#messageId = options.messageId;
  }

  update(text: string): void {
    this.#latest = text;
    this.#schedule();
  }

  /** Nothing is shown any more when it resolves. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#showing;
  }

  #schedule(): void {
    const { everyMs, leastChars } = this.#options;
    const useless = this.#latest.trim().length < leastChars || this.#latest === this.#shownText;
    if (this.#ended || this.#timer || this.#showing || useless || this.#strikes >= STRIKES_MAX) return;
    const waitMs = Math.max(0, this.#lastShownMs + everyMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#showing = this.#show().finally(() => {
        this.#showing = undefined;
        this.#schedule();
      });
    }, waitMs);
  }

  async #show(): Promise<void> {
    const { adapter, target, cursor, isOpen, counted, shown, failed } = this.#options;
    if (this.#ended || !isOpen()) return;
    const text = this.#latest;
    try {
      const signal = AbortSignal.timeout(SHOW_TIMEOUT_MS);
      counted();
      const id = await adapter.show(target, this.#messageId, text + cursor, signal);
      killPoint("preview-shown");
      if (id !== null && id !== this.#messageId) await shown(id);
      this.#messageId = id;
      this.#shownText = text;
      this.#strikes = 0;
    } catch (error) {
      this.#strikes += 1;
      failed(error);
    } finally {
      this.#lastShownMs = performance.now();
    }
  }
}

/** A stream that is still finding out where it goes on. Only the newest text matters meanwhile. */
export class StreamHandle {
  readonly #stream: Promise<Stream>;
  #latest = "";
  #ready: Stream | undefined;

  constructor(stream: Promise<Stream>) {
    this.#stream = stream;
    stream.then(
      (ready) => {
        this.#ready = ready;
        ready.update(this.#latest);
      },
      () => undefined,
    );
  }

  update(text: string): void {
    this.#latest = text;
    this.#ready?.update(text);
  }

  async end(): Promise<void> {
    const stream = await this.#stream.catch(() => undefined);
    await stream?.end();
  }
}
