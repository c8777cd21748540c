import { setTimeout as sleep } from "node:timers/promises";
import { compressionReason, isOverdue } from "../policies/compression-limits.js";
import type { SessionId, SessionKey } from "../session.js";
import {
  type CompressDeps,
  type Compressed,
  type Compression,
  type CompressOptions,
  commitCompression,
  prepareCompression,
} from "../sessions/compress.js";
import { withSignal } from "../timeout.js";
import type { Context } from "./context.js";
import type { Turn } from "./turn.js";

interface SessionAtEpoch {
  key: SessionKey;
  epoch: number;
  sessionId: SessionId;
}

export interface Finished {
  /** The users' own text, without added names or notes. */
  asked: string;
  answer: string;
  /** Number of messages the turn added to its session. */
  added: number;
  promptTokens: number;
}

/** A chat whose next message comes sooner isn't in a pause. */
const PAUSE_MS = 100;

/** Runs after the answer, in the background: titles new sessions and compresses long ones. */
export class After {
  readonly #context: Context;
  readonly #work = new Set<Promise<void>>();
  /** Part of the work. */
  readonly #shortening = new Set<SessionKey>();
  /** Chats that are compressed if no turn starts in the next moment. */
  readonly #pausing = new Map<SessionKey, AbortController>();

  constructor(context: Context) {
    this.#context = context;
  }

  start(turn: Turn, finished: Finished): void {
    const work = Promise.all([this.#nameSession(turn, finished), this.#shorten(turn, finished)])
      .catch((error: unknown) =>
        this.#context.log.warn(
          { err: error, traceId: turn.first.traceId, sessionKey: turn.key },
          "post-turn work failed",
        ),
      )
      .then(() => {
        this.#work.delete(work);
      });
    this.#work.add(work);
  }

  /** The chat isn't in a pause: its compression waits for the end of this turn. */
  turnStarted(key: SessionKey): void {
    this.#pausing.get(key)?.abort();
  }

  /** Whether compression is running. Its result is discarded if another turn starts first. */
  isShortening(key: SessionKey): boolean {
    return this.#shortening.has(key);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#work);
  }

  async compress(
    at: SessionAtEpoch,
    options: CompressOptions,
    stopped?: AbortSignal,
  ): Promise<Compressed | undefined> {
    const compression = await this.prepare(at.sessionId, options, stopped);
    return compression && this.commit(at, compression);
  }

  /** Calls the model for a summary; stores nothing. */
  prepare(
    sessionId: SessionId,
    options: CompressOptions,
    stopped?: AbortSignal,
  ): Promise<Compression | undefined> {
    const { store, agent, estimateTokens, summarise, compression, stopping } = this.#context;
    const signals = stopped ? [stopping, stopped] : [stopping];
    const deps: CompressDeps = {
      store,
      agent,
      estimateTokens,
      settings: compression,
      summarise: async (request) => {
        const summary = await withSignal({ signals }, (signal) => summarise(request, signal));
        stopped?.throwIfAborted();
        return summary;
      },
    };
    return prepareCompression(deps, sessionId, options);
  }

  async commit(at: SessionAtEpoch, compression: Compression): Promise<Compressed | undefined> {
    const { store, events } = this.#context;
    const compressed = await commitCompression(store, at, compression);
    if (compressed) {
      this.#context.routesChanged();
      this.#context.messagesChanged(compressed.child.id);
      const { child, before, after } = compressed;
      events.emit({
        type: "session-compressed",
        platform: child.source,
        sessionKey: at.key,
        sessionId: child.id,
        oldSessionId: at.sessionId,
        before,
        after,
        // Only informs watchers: a failed read must not undo the commit.
        compressions: await this.#compressionsOf(child.id).catch(() => 1),
      });
    }
    return compressed;
  }

  async #compressionsOf(sessionId: string): Promise<number> {
    const { ancestors, session } = await this.#context.store.getLineage(sessionId);
    return [...ancestors, session].filter(({ kind }) => kind === "compression").length;
  }

  /** Only for untitled sessions; never overwrites a title that was set in the meantime. */
  async #nameSession({ session }: Turn, { asked, answer }: Finished): Promise<void> {
    const { store, title, stopping } = this.#context;
    if (session.title !== null || session.message_count > 2) return;
    const proposed = await withSignal({ signals: [stopping] }, (signal) =>
      title({ userText: asked, answer }, signal),
    );
    if (proposed) await store.setTitle(session.id, proposed, "suggested");
  }

  /** Uses the turn's own epoch, so it does nothing once another turn has started; that turn tries again. */
  async #shorten({ key, session, epoch, agent }: Turn, { added, promptTokens }: Finished): Promise<void> {
    const { compression } = this.#context;
    // Such an agent would see a compressed history as a new conversation.
    if (agent.keepsState) return;
    const size = {
      promptTokens,
      contextLength: agent.contextLength,
      messageCount: session.message_count + added,
      settings: compression,
    };
    const reason = compressionReason(size);
    if (!reason || !(isOverdue(size) || (await this.#waitForPause(key)))) return;
    this.#shortening.add(key);
    try {
      await this.compress({ key, epoch, sessionId: session.id }, { reason, promptTokens });
    } finally {
      this.#shortening.delete(key);
    }
  }

  /** False if a turn starts in the chat, or the gateway stops. Compression beside a turn would slow it down and mostly be lost. */
  async #waitForPause(key: SessionKey): Promise<boolean> {
    const started = new AbortController();
    this.#pausing.set(key, started);
    try {
      const signals = [this.#context.stopping, started.signal];
      await withSignal({ signals }, (signal) => sleep(PAUSE_MS, undefined, { signal }));
      return true;
    } catch {
      // Aborted: nothing else can fail.
      return false;
    } finally {
      if (this.#pausing.get(key) === started) this.#pausing.delete(key);
    }
  }
}
