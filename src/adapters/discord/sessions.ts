/**
 * Where the gateway's sessions can be resumed. Written down with the number of the last event that is *settled*: after a
 * crash Discord replays the rest.
 */
import type { SessionInfo } from "@discordjs/ws";
import type { AdapterEvents } from "../adapter.js";
import { cursorNames } from "./ids.js";

interface Shard {
  info: SessionInfo | null;
  /** The last event of this session that was handed on. */
  passed: number;
  /** Events of this session that came in and aren't in the inbox yet. */
  pending: Set<number>;
  saved: string;
}

export class Sessions {
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  readonly #saveMs: number;
  readonly #failed: (error: unknown) => void;
  readonly #shards = new Map<number, Shard>();
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
    if (!this.#shards.has(shardId)) await this.#load(shardId);
    return this.#shards.get(shardId)?.info ?? null;
  }

  update(shardId: number, info: SessionInfo | null): void {
    const shard = this.#shards.get(shardId);
    if (shard && shard.info?.sessionId === info?.sessionId) shard.info = info;
    else this.#shards.set(shardId, { info, passed: 0, pending: new Set(), saved: shard?.saved ?? "" });
    this.#saveSoon();
  }

  /** An event came in. Call what it gives when nothing of it can be lost any more. */
  passed(shardId: number, sequence: number): () => void {
    const shard = this.#shards.get(shardId);
    if (!shard) return () => {};
    const { pending } = shard;
    shard.passed = Math.max(shard.passed, sequence);
    pending.add(sequence);
    return () => {
      pending.delete(sequence);
      this.#saveSoon();
    };
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [shardId, shard] of this.#shards) await this.#save(shardId, shard);
  }

  async #load(shardId: number): Promise<void> {
    const saved = await this.#events.cursor(cursorNames.session(shardId)).catch((error: unknown) => {
      this.#failed(error);
      return undefined;
    });
    const info = parseSession(saved);
    const shard = { info, passed: info?.sequence ?? 0, pending: new Set<number>(), saved: saved ?? "" };
    if (!this.#shards.has(shardId)) this.#shards.set(shardId, shard);
  }

  #saveSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.flush().catch(this.#failed);
    }, this.#saveMs);
  }

  async #save(shardId: number, shard: Shard): Promise<void> {
    const value = shard.info ? JSON.stringify({ ...shard.info, sequence: settledUpTo(shard) }) : "";
    if (value === shard.saved) return;
    shard.saved = value;
    await this.#events.saveCursor({ name: cursorNames.session(shardId), value });
  }
}

/** Nothing up to here is waiting. */
function settledUpTo({ passed, pending }: Shard): number {
  return pending.size === 0 ? passed : Math.min(...pending) - 1;
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
