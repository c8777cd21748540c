/** Fetches the messages that Slack didn't deliver: after a restart, a long gap, or deliveries that it gave up on. */
import { backoffMs, pause } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { SlackApi } from "./api.js";
import { catchUp } from "./catch-up.js";
import type { Settings } from "./config.js";
import type { SeenCursor } from "./cursor.js";
import { explain } from "./errors.js";
import type { SlackEvent } from "./payloads.js";

export interface MissedMessagesParts {
  settings: Settings;
  api: SlackApi;
  cursor: SeenCursor;
  accept(event: SlackEvent): Promise<void>;
  closing: AbortSignal;
}

export class MissedMessages {
  readonly #parts: MissedMessagesParts;
  #running: Promise<void> | undefined;

  constructor(parts: MissedMessagesParts) {
    this.#parts = parts;
  }

  /** Waits until missed messages are stored, so that they come before new ones, but not for too long. */
  async beforeOpen(gapMs: number | undefined): Promise<void> {
    const { settings, closing } = this.#parts;
    const { timing } = settings;
    if (gapMs !== undefined && gapMs <= timing.gapMs) return;
    await Promise.race([this.fetch(), pause(timing.catchUpMs, closing)]);
  }

  /** Resolves after one attempt. A failed attempt is retried in the background. Never rejects. */
  fetch(): Promise<void> {
    if (this.#parts.settings.catchUpMaxAgeSeconds === 0) return Promise.resolve();
    // Older messages may be missing from now on, so the stored cursor must stay before them.
    this.#parts.cursor.hold();
    this.#running ??= this.#attempt(0);
    return this.#running;
  }

  async finish(): Promise<void> {
    await this.#running;
  }

  async #attempt(failures: number): Promise<void> {
    const { settings, closing } = this.#parts;
    try {
      await this.#fetchAll();
      this.#running = undefined;
    } catch (error) {
      if (closing.aborted) return;
      settings.log("warn", `Could not fetch missed messages: ${explain(error)}`);
      this.#running = pause(backoffMs(failures, settings.backoff), closing).then(() =>
        closing.aborted ? undefined : this.#attempt(failures + 1),
      );
    }
  }

  async #fetchAll(): Promise<void> {
    const { settings, api, cursor, closing } = this.#parts;
    const seen = await cursor.stored();
    const accept = (event: SlackEvent) =>
      this.#parts.accept(event).catch((cause: unknown) => {
        throw new HermesError("unavailable", "the inbox didn't store a message", { cause });
      });
    if (seen !== undefined) await catchUp({ settings, api, accept, closing }, seen);
    await cursor.release();
  }
}
