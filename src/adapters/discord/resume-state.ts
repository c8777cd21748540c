/**
 * What is needed to resume the gateway sessions. Saved with the sequence number of the last event that is in the inbox: after
 * a crash Discord replays the events behind it.
 */
import type { SessionInfo } from "@discordjs/ws";
import type { AdapterEvents } from "../adapter.js";
import { cursorNames } from "./ids.js";

interface Shard {
  info: SessionInfo | null;
  /** The last event of this session that came in. */
  lastSequence: number;
  /** Events of this session that aren't in the inbox yet. */
  pending: Set<number>;
  saved: string;
}

export class ResumeState {
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  readonly #saveMs: number;
  readonly #onFailure: (error: unknown) => void;
  readonly #shards = new Map<number, Shard>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    events: Pick<AdapterEvents, "cursor" | "saveCursor">,
    options: { saveMs: number; onFailure: (error: unknown) => void },
  ) {
    this.#events = events;
    this.#saveMs = options.saveMs;
    this.#onFailure = options.onFailure;
  }

  async retrieve(shardId: number): Promise<SessionInfo | null> {
    if (!this.#shards.has(shardId)) await this.#load(shardId);
    return this.#shards.get(shardId)?.info ?? null;
  }

  update(shardId: number, info: SessionInfo | null): void {
    const shard = this.#shards.get(shardId);
    if (shard && shard.info?.sessionId === info?.sessionId) shard.info = info;
    else this.#shards.set(shardId, { info, lastSequence: 0, pending: new Set(), saved: shard?.saved ?? "" });
    this.#saveSoon();
  }

  /** An event came in. Call the returned function when the inbox has it. */
  begin(shardId: number, sequence: number): () => void {
    const shard = this.#shards.get(shardId);
    if (!shard) return () => {};
    const { pending } = shard;
    shard.lastSequence = Math.max(shard.lastSequence, sequence);
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
      this.#onFailure(error);
      return undefined;
    });
    const info = parseSession(saved);
    const shard = { info, lastSequence: info?.sequence ?? 0, pending: new Set<number>(), saved: saved ?? "" };
    if (!this.#shards.has(shardId)) this.#shards.set(shardId, shard);
  }

  #saveSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.flush().catch(this.#onFailure);
    }, this.#saveMs);
  }

  async #save(shardId: number, shard: Shard): Promise<void> {
    const value = shard.info ? JSON.stringify({ ...shard.info, sequence: settledUpTo(shard) }) : "";
    if (value === shard.saved) return;
    shard.saved = value;
    await this.#events.saveCursor({ name: cursorNames.session(shardId), value });
  }
}

/** Everything up to here is in the inbox. */
function settledUpTo({ lastSequence, pending }: Shard): number {
  return pending.size === 0 ? lastSequence : Math.min(...pending) - 1;
}

function parseSession(saved: string | undefined): SessionInfo | null {
  if (!saved) return null;
  try {
    const info = JSON.parse(saved) as Partial<SessionInfo>;
    const complete = typeof info.sessionId === "string" && typeof info.resumeURL === "string";
    return complete && typeof info.sequence === "number" ? (info as SessionInfo) : null;
  } catch {
    // Unreadable: identify as a new session.
    return null;
  }
}
