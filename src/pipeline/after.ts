import { compressionReason } from "../policies/compression.js";
import type { SessionId, SessionKey } from "../session.js";
import {
  type CompressDeps,
  type Compressed,
  type Compression,
  type CompressOptions,
  commitCompression,
  prepareCompression,
} from "../sessions/compress.js";
import type { Context } from "./context.js";
import type { Turn } from "./turn.js";

interface Place {
  key: SessionKey;
  epoch: number;
  sessionId: SessionId;
}

export interface Finished {
  /** What people wrote, and nothing that was added to it. */
  asked: string;
  answer: string;
  /** How many messages the turn added to its session. */
  added: number;
  promptTokens: number;
}

/** After the answer: a title for a new session, a shorter history for a long one. The chat waits for neither. */
export class After {
  readonly #context: Context;
  readonly #work = new Set<Promise<void>>();
  /** Part of the work. */
  readonly #shortening = new Set<SessionKey>();

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

  /** Whether a shorter history is on its way. A turn that starts before makes it useless. */
  isShortening(key: SessionKey): boolean {
    return this.#shortening.has(key);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#work);
  }

  async compress(
    place: Place,
    options: CompressOptions,
    stopped?: AbortSignal,
  ): Promise<Compressed | undefined> {
    const compression = await this.prepare(place.sessionId, options, stopped);
    return compression && this.commit(place, compression);
  }

  /** The summary costs a model call; nothing is stored. */
  prepare(
    sessionId: SessionId,
    options: CompressOptions,
    stopped?: AbortSignal,
  ): Promise<Compression | undefined> {
    const { store, agent, estimateTokens, summarise, compression, stopping } = this.#context;
    const signal = stopped ? AbortSignal.any([stopping, stopped]) : stopping;
    const deps: CompressDeps = {
      store,
      agent,
      estimateTokens,
      settings: compression,
      summarise: async (request) => {
        const summary = await summarise(request, signal);
        stopped?.throwIfAborted();
        return summary;
      },
    };
    return prepareCompression(deps, sessionId, options);
  }

  async commit(place: Place, compression: Compression): Promise<Compressed | undefined> {
    const { store, events } = this.#context;
    const compressed = await commitCompression(store, place, compression);
    if (compressed) {
      this.#context.routesChanged();
      this.#context.messagesChanged(compressed.child.id);
      const { child, before, after } = compressed;
      events.emit({
        type: "session-compressed",
        platform: child.source,
        sessionKey: place.key,
        sessionId: child.id,
        oldSessionId: place.sessionId,
        before,
        after,
        // For watchers only: a failed read must not undo the commit.
        compressions: await this.#compressionsOf(child.id).catch(() => 1),
      });
    }
    return compressed;
  }

  async #compressionsOf(sessionId: string): Promise<number> {
    const { ancestors, session } = await this.#context.store.getLineage(sessionId);
    return [...ancestors, session].filter(({ kind }) => kind === "compression").length;
  }

  /** Only a session without a title, and never over one that was set meanwhile. */
  async #nameSession({ session }: Turn, { asked, answer }: Finished): Promise<void> {
    const { store, title, stopping } = this.#context;
    if (session.title !== null || session.message_count > 2) return;
    const proposed = await title({ userText: asked, answer }, stopping);
    if (proposed) await store.setTitle(session.id, proposed, "suggested");
  }

  /** Under the turn's own epoch: once the next turn runs, its end is the next chance. */
  async #shorten({ key, session, epoch, agent }: Turn, { added, promptTokens }: Finished): Promise<void> {
    const { compression } = this.#context;
    // A shorter history would be a new conversation for it.
    if (agent.keepsState) return;
    const reason = compressionReason({
      promptTokens,
      contextLength: agent.contextLength,
      messageCount: session.message_count + added,
      settings: compression,
    });
    if (!reason) return;
    this.#shortening.add(key);
    try {
      await this.compress({ key, epoch, sessionId: session.id }, { reason, promptTokens });
    } finally {
      this.#shortening.delete(key);
    }
  }
}
