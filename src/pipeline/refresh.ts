/** Shorter texts are redrawn for every chunk. */
const SHORT_CHARS = 8000;
const EVERY_MS = 100;
/** The maximum share of time spent on redrawing. */
const SHARE = 0.1;

/**
 * Shows a text as it grows. Redrawing costs time in proportion to its length, so long texts are redrawn at
 * intervals; otherwise the work would be quadratic.
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
