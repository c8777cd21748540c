/** The open event streams of each chat. Chats without a stream take no memory. */
import { EventStream, type StreamEvent } from "./event-stream.js";
import type { WebBounds } from "./types.js";

type StreamBounds = Pick<WebBounds, "streams" | "streamsPerChat" | "streamsPerAddress">;

export class Hub {
  readonly #chats = new Map<string, Set<EventStream>>();
  readonly #addresses = new Map<string, number>();
  readonly #bounds: StreamBounds;
  #open = 0;

  constructor(bounds: StreamBounds) {
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
  subscribe(chatId: string, address: string, cut: () => void): EventStream | undefined {
    const streams = this.#chats.get(chatId) ?? new Set<EventStream>();
    if (this.#isFull(streams.size, address)) return undefined;
    const stream = new EventStream((why) => {
      streams.delete(stream);
      this.#count(address, -1);
      if (streams.size === 0) this.#chats.delete(chatId);
      if (why === "slow") cut();
    });
    streams.add(stream);
    this.#chats.set(chatId, streams);
    this.#count(address, 1);
    return stream;
  }

  /** A client can drop its cookie and get a new identity, so its address is limited, too. */
  #isFull(ofChat: number, address: string): boolean {
    const { streams, streamsPerChat, streamsPerAddress } = this.#bounds;
    const ofAddress = this.#addresses.get(address) ?? 0;
    return this.#open >= streams || ofChat >= streamsPerChat || ofAddress >= streamsPerAddress;
  }

  #count(address: string, change: 1 | -1): void {
    const ofAddress = (this.#addresses.get(address) ?? 0) + change;
    if (ofAddress === 0) this.#addresses.delete(address);
    else this.#addresses.set(address, ofAddress);
    this.#open += change;
  }

  push(chatId: string, event: StreamEvent): void {
    for (const stream of [...(this.#chats.get(chatId) ?? [])]) stream.push(event);
  }

  /** Its tabs have to connect again. */
  closeChat(chatId: string): void {
    for (const stream of [...(this.#chats.get(chatId) ?? [])]) stream.close();
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
