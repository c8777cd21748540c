import type { SessionKey } from "../session.js";

const MAX_MODELS = 1000;

/** The models that chats without a route chose with /model, until the next start. Routes keep them otherwise. */
export class ChatModels {
  readonly #models = new Map<SessionKey, string>();

  get(key: SessionKey): string | undefined {
    return this.#models.get(key);
  }

  set(key: SessionKey, model: string | undefined): void {
    this.#models.delete(key);
    if (model !== undefined) this.#models.set(key, model);
    const oldest = this.#models.keys().next().value;
    if (this.#models.size > MAX_MODELS && oldest !== undefined) this.#models.delete(oldest);
  }
}
