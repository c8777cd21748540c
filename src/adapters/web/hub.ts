/** Who listens to which chat. Nothing is kept for a chat that nobody listens to. */
import { EventStream, type StreamEvent } from "./event-stream.js";
import type { WebBounds } from "./types.js";

export class Hub {
  readonly #chats = new Map<string, Set<EventStream>>();
  readonly #bounds: Pick<WebBounds, "streams" | "streamsPerChat">;
  #open = 0;

  constructor(bounds: Pick<WebBounds, "streams" | "streamsPerChat">) {
    this.#bounds = bounds;
  }

  get open(): number {
    return this.#open;
  }

  chats(): string[] {
    return [...this.#chats.keys()];
  }

  has(chatId: string): boolean {
    return this.#chats.has(chatId);
  }

  /** Undefined when there are too many. `cut` ends the connection of a tab that doesn't read. */
  subscribe(chatId: string, cut: () => void): EventStream | undefined {
    const streams = this.#chats.get(chatId) ?? new Set<EventStream>();
    if (this.#open >= this.#bounds.streams || streams.size >= this.#bounds.streamsPerChat) return undefined;
    const stream = new EventStream((why) => {
      streams.delete(stream);
      this.#open -= 1;
      if (streams.size === 0) this.#chats.delete(chatId);
      if (why === "slow") cut();
    });
    streams.add(stream);
    this.#chats.set(chatId, streams);
    this.#open += 1;
    return stream;
  }

  push(chatId: string, event: StreamEvent): void {
    for (const stream of [...(this.#chats.get(chatId) ?? [])]) stream.push(event);
  }

  beat(): void {
    this.#each((stream) => stream.beat());
  }

  close(): void {
    this.#each((stream) => stream.close());
  }

  #each(act: (stream: EventStream) => void): void {
    for (const streams of [...this.#chats.values()]) for (const stream of [...streams]) act(stream);
  }
}
