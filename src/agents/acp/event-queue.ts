import type { AgentEvent } from "../backend.js";

/** Events that wait for their consumer. Text is joined, so that a slow consumer costs no more than the text itself. */
export class EventQueue implements AsyncIterable<AgentEvent> {
  #events: AgentEvent[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  push(event: AgentEvent): void {
    const last = this.#events.at(-1);
    if (event.type === "text" && last?.type === "text")
      this.#events[this.#events.length - 1] = { type: "text", delta: last.delta + event.delta };
    else this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for (;;) {
      const events = this.#events;
      this.#events = [];
      yield* events;
      if (this.#events.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
