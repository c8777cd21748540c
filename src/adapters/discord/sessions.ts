/**
 * Where the gateway's sessions can be resumed. Written down with the number of the last event that is *settled*: after a
 * crash Discord replays the rest.
 */
import type { SessionInfo } from "@discordjs/ws";
import type { AdapterEvents } from "../adapter.js";
import { cursorNames } from "./ids.js";

interface Shard {
  info: SessionInfo | null;
  /** Events that came in and aren't in the inbox yet. */
  pending: Set<number>;
  saved: string;
}

export class Sessions {
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  readonly #saveMs: number;
  readonly #failed: (error: unknown) => void;
  readonly #shards = new Map<number, Promise<Shard>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    events: Pick<AdapterEvents, "cursor" | "saveCursor">,
    options: { saveMs: number; failed: (error: unknown) => void },
  ) {
    this.#events = events;
    this.#saveMs = options.saveMs;
    this.#failed = options.failed;
  }

  async retrieve(shardId: number): Promise<SessionInfo | null> {
    return (await this.#shard(shardId)).info;
  }

  async update(shardId: number, info: SessionInfo | null): Promise<void> {
    const shard = await this.#shard(shardId);
    if (shard.info?.sessionId !== info?.sessionId) shard.pending.clear();
    shard.info = info;
    this.#saveSoon();
  }

  began(shardId: number, sequence: number): void {
    void this.#shards.get(shardId)?.then(({ pending }) => pending.add(sequence));
  }

  settled(shardId: number, sequence: number): void {
    void this.#shards.get(shardId)?.then(({ pending }) => pending.delete(sequence));
    this.#saveSoon();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [shardId, loading] of this.#shards) await this.#save(shardId, await loading);
  }

  #shard(shardId: number): Promise<Shard> {
    const known = this.#shards.get(shardId);
    if (known) return known;
    const loading = this.#load(shardId);
    this.#shards.set(shardId, loading);
    return loading;
  }

  async #load(shardId: number): Promise<Shard> {
    const saved = await this.#events.cursor(cursorNames.session(shardId)).catch((error: unknown) => {
      this.#failed(error);
      return undefined;
    });
    return { info: parseSession(saved), pending: new Set(), saved: saved ?? "" };
  }

  #saveSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.flush().catch(this.#failed);
    }, this.#saveMs);
  }

  async #save(shardId: number, shard: Shard): Promise<void> {
    const value = shard.info ? JSON.stringify({ ...shard.info, sequence: safeSequence(shard) }) : "";
    if (value === shard.saved) return;
    await this.#events.saveCursor({ name: cursorNames.session(shardId), value });
    shard.saved = value;
  }
}

function safeSequence({ info, pending }: Shard): number {
  const [oldest] = pending;
  return oldest === undefined ? info!.sequence : Math.min(info!.sequence, oldest - 1);
}

function parseSession(saved: string | undefined): SessionInfo | null {
  if (!saved) return null;
  try {
    const info = JSON.parse(saved) as Partial<SessionInfo>;
    const complete = typeof info.sessionId === "string" && typeof info.resumeURL === "string";
    return complete && typeof info.sequence === "number" ? (info as SessionInfo) : null;
  } catch {
    return null;
  }
}
