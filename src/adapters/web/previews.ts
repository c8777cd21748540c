/** Live answers: the newest text, at most every few milliseconds per chat or conversation. */

interface Preview {
  turnId: string;
  text: string;
}

export class Previews {
  readonly #everyMs: number;
  readonly #show: (chatId: string, preview: Preview) => void;
  /** Chats with a recent preview, and the text that has come since. */
  readonly #resting = new Map<string, { timer: NodeJS.Timeout; next: Preview | undefined }>();

  constructor(everyMs: number, show: (chatId: string, preview: Preview) => void) {
    this.#everyMs = everyMs;
    this.#show = show;
  }

  offer(chatId: string, preview: Preview): void {
    const resting = this.#resting.get(chatId);
    if (resting) resting.next = preview;
    else this.#showNow(chatId, preview);
  }

  /** The answer is there: drops its pending preview. */
  forget(chatId: string): void {
    clearTimeout(this.#resting.get(chatId)?.timer);
    this.#resting.delete(chatId);
  }

  clear(): void {
    for (const chatId of [...this.#resting.keys()]) this.forget(chatId);
  }

  #showNow(chatId: string, preview: Preview): void {
    const timer = setTimeout(() => {
      const next = this.#resting.get(chatId)?.next;
      this.#resting.delete(chatId);
      if (next) this.#showNow(chatId, next);
    }, this.#everyMs);
    timer.unref();
    this.#resting.set(chatId, { timer, next: undefined });
    this.#show(chatId, preview);
  }
}
