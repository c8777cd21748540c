import { compressionReason } from "../policies/compression.js";
import { compressionSettingsOf } from "../rules.js";
import type { SessionId, SessionKey } from "../session.js";
import {
  type CompressDeps,
  type Compressed,
  type Compression,
  type CompressOptions,
  commitCompression,
  prepareCompression,
} from "../sessions/compress.js";
import type { FinishedTurn } from "../turns/run-turn.js";
import type { GatewayParts } from "./parts.js";

interface Place {
  key: SessionKey;
  epoch: number;
  sessionId: SessionId;
}

/** After the answer: a title for a young session, a shorter history for a long one. The chat waits for neither. */
export class Aftermath {
  readonly #parts: GatewayParts;
  readonly #signal: AbortSignal;
  readonly #work = new Set<Promise<void>>();

  constructor(parts: GatewayParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  after(turn: FinishedTurn): void {
    const work = Promise.all([this.#nameSession(turn), this.#shorten(turn)])
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error, traceId: turn.traceId, sessionKey: turn.key }, "aftermath failed"),
      )
      .then(() => {
        this.#work.delete(work);
      });
    this.#work.add(work);
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

  /** The summary costs a call of the model; nothing is stored. */
  prepare(
    sessionId: SessionId,
    options: CompressOptions,
    stopped?: AbortSignal,
  ): Promise<Compression | undefined> {
    const { store, agent, estimateTokens, summarise, config } = this.#parts;
    const signal = stopped ? AbortSignal.any([this.#signal, stopped]) : this.#signal;
    const deps: CompressDeps = {
      store,
      agent,
      estimateTokens,
      settings: compressionSettingsOf(config),
      summarise: async (request) => {
        const summary = await summarise(request, signal);
        stopped?.throwIfAborted();
        return summary;
      },
    };
    return prepareCompression(deps, sessionId, options);
  }

  async commit(place: Place, compression: Compression): Promise<Compressed | undefined> {
    const { store, events } = this.#parts;
    const compressed = await commitCompression(store, place, compression);
    if (compressed) {
      this.#parts.routesChanged();
      this.#parts.messagesChanged(compressed.child.id);
      const { child, before, after } = compressed;
      events.emit({
        type: "session-compressed",
        platform: child.source,
        sessionKey: place.key,
        sessionId: child.id,
        oldSessionId: place.sessionId,
        before,
        after,
        // For watchers alone: a read that fails must not undo what is committed.
        compressions: await this.#compressionsOf(child.id).catch(() => 1),
      });
    }
    return compressed;
  }

  async #compressionsOf(sessionId: string): Promise<number> {
    const { ancestors, session } = await this.#parts.store.getLineage(sessionId);
    return [...ancestors, session].filter(({ kind }) => kind === "compression").length;
  }

  /** Only a session that nobody has named, and never over a name that came meanwhile. */
  async #nameSession({ session, asked, answer }: FinishedTurn): Promise<void> {
    const { store, title } = this.#parts;
    if (session.title !== null || session.message_count > 2) return;
    const proposed = await title({ userText: asked, answer }, this.#signal);
    if (proposed) await store.suggestTitle(session.id, proposed);
  }

  /** Under the turn's own epoch: once the next turn runs, its end is the next chance. */
  async #shorten({ key, session, epoch }: FinishedTurn): Promise<void> {
    const { store, agent, config } = this.#parts;
    const [route, current] = await Promise.all([store.getRoute(key), store.getSession(session.id)]);
    if (!route || !current || route.sessionId !== session.id) return;
    const reason = compressionReason({
      promptTokens: route.lastPromptTokens,
      contextLength: agent.contextLength,
      messageCount: current.message_count,
      settings: compressionSettingsOf(config),
    });
    const promptTokens = route.lastPromptTokens;
    if (reason) await this.compress({ key, epoch, sessionId: session.id }, { reason, promptTokens });
  }
}
