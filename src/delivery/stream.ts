import type { CanStream } from "../adapters/adapter.js";
import { SendError } from "../errors.js";
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
  /** A message is about to be made: a crash from here on must not forget that there may be one. False: not yet. */
  posting(): Promise<boolean>;
  /** The message exists: it must be remembered before it is edited again. */
  shown(messageId: string): Promise<void>;
  /** No message was made after all. */
  notShown(): Promise<void>;
  failed(error: unknown): void;
}

const SHOW_TIMEOUT_MS = 10_000;
const STRIKES_MAX = 3;

export class Stream {
  readonly #options: StreamOptions;
  #messageId: string | null;
  #latest = "";
  #showing: Promise<void> | undefined;
  #post: Post | undefined;
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

  /** Nothing is shown any more when it resolves. A draft that hangs must not hold up the answer. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    if (this.#messageId === null) this.#post?.abandon();
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
    const { adapter, target, cursor, isOpen, counted, shown } = this.#options;
    if (this.#ended || !isOpen()) return;
    const text = this.#latest;
    const post = new Post(this.#options.posting);
    this.#post = post;
    try {
      const signal = AbortSignal.any([post.abandoned, AbortSignal.timeout(SHOW_TIMEOUT_MS)]);
      const id = await adapter.show(target, this.#messageId, text + cursor, signal, post.begin);
      killPoint("preview-shown");
      if (id !== null && id !== this.#messageId) await shown(id);
      this.#messageId = id;
      this.#shownText = text;
      this.#strikes = 0;
    } catch (error) {
      if (post.state !== "too early") await this.#afterFailure(error, post);
    } finally {
      if (post.state !== "too early") counted();
      this.#lastShownMs = performance.now();
    }
  }

  /** Where a message may have been made and nobody knows its id, no second one is: the answer will look for it. */
  async #afterFailure(error: unknown, { state }: Post): Promise<void> {
    const { notShown, failed } = this.#options;
    this.#strikes += 1;
    failed(error);
    if (state !== "begun") return;
    if (error instanceof SendError && error.outcome !== "unknown") await notShown().catch(failed);
    else this.#strikes = STRIKES_MAX;
  }
}

/** How far the making of a message has come. */
class Post {
  state: "none" | "noting" | "begun" | "too early" = "none";
  readonly #note: () => Promise<boolean>;
  readonly #abandon = new AbortController();

  constructor(note: () => Promise<boolean>) {
    this.#note = note;
  }

  get abandoned(): AbortSignal {
    return this.#abandon.signal;
  }

  /** Cancels a call that has made no message yet; one that may have made a message runs to its end. */
  abandon(): void {
    if (this.state === "none") this.#abandon.abort();
  }

  readonly begin = async (): Promise<void> => {
    if (this.abandoned.aborted) throw new SendError("never_sent", "The answer is ready");
    this.state = "noting";
    this.state = (await this.#note()) ? "begun" : "too early";
    if (this.state === "too early") throw new SendError("never_sent", "What was said before isn't there yet");
  };
}

/** A stream that is still finding out where it goes on, if at all. Only the newest text matters meanwhile. */
export class StreamHandle {
  readonly #stream: Promise<Stream | undefined>;
  #latest = "";
  #ready: Stream | undefined;

  constructor(stream: Promise<Stream | undefined>) {
    this.#stream = stream;
    stream.then(
      (ready) => {
        this.#ready = ready;
        ready?.update(this.#latest);
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
