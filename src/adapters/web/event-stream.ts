/** One browser tab's server-sent events: a bounded queue that empties as fast as the tab reads. */

export interface StreamEvent {
  event: string;
  data: unknown;
  /** The tab sends it back when it reconnects. */
  id?: number | string;
}

const MAX_WAITING = 1000;
const MAX_WAITING_CHARS = 8_000_000;
/** Of these only the newest matters. */
const REPLACEABLE = new Set(["preview", "typing", "session"]);
/** Milliseconds until the browser tries again. */
const RETRY = "retry: 1500\n\n";

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #onEnd: (why: "gone" | "slow" | "closed") => void;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #waiting: { event: string; frame: string }[] = [{ event: "", frame: RETRY }];
  #waitingChars = RETRY.length;
  #ended = false;

  constructor(onEnd: (why: "gone" | "slow" | "closed") => void) {
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#pump(),
      cancel: () => this.#end("gone"),
    });
  }

  push(event: StreamEvent): void {
    if (this.#ended) return;
    if (REPLACEABLE.has(event.event)) this.#forget(event.event);
    const frame = frameOf(event);
    this.#waiting.push({ event: event.event, frame });
    this.#waitingChars += frame.length;
    const isSlow = this.#waiting.length > MAX_WAITING || this.#waitingChars > MAX_WAITING_CHARS;
    if (isSlow) this.#end("slow");
    else this.#pump();
  }

  /** A tab that hasn't read the last heartbeat has stopped reading. */
  beat(): void {
    if (this.#waiting.some(({ event }) => event === "heartbeat")) this.#end("slow");
    else this.push({ event: "heartbeat", data: {} });
  }

  close(): void {
    this.#end("closed");
  }

  #forget(event: string): void {
    this.#waiting = this.#waiting.filter((waiting) => {
      if (waiting.event !== event) return true;
      this.#waitingChars -= waiting.frame.length;
      return false;
    });
  }

  #pump(): void {
    while (!this.#ended && (this.#controller.desiredSize ?? 0) > 0) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#waitingChars -= next.frame.length;
      this.#controller.enqueue(this.#encoder.encode(next.frame));
    }
  }

  #end(why: "gone" | "slow" | "closed"): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting = [];
    if (why !== "gone") this.#controller.close();
    this.#onEnd(why);
  }
}

function frameOf({ event, data, id }: StreamEvent): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
