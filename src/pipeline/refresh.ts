/** A short text is shown again with each word. */
const SHORT_CHARS = 8000;
const EVERY_MS = 100;
/** At most this share of the time is spent on showing it. */
const SHARE = 0.1;

/**
 * Shows a text while it grows. Each time costs as much as the text is long, so a long one is shown at intervals: otherwise
 * the work would grow with the square of its length.
 */
export class Refresh {
  readonly #show: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastTookMs = 0;

  constructor(show: () => void) {
    this.#show = show;
  }

  grownTo(chars: number): void {
    if (chars <= SHORT_CHARS) this.#show();
    else this.#timer ??= setTimeout(() => this.#look(), Math.max(EVERY_MS, this.#lastTookMs / SHARE));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    this.#timer = undefined;
    const startedMs = performance.now();
    this.#show();
    this.#lastTookMs = performance.now() - startedMs;
  }
}
