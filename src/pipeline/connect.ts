import { setTimeout as sleep } from "node:timers/promises";
import {
  type Adapter,
  type AdapterEvents,
  canRegisterCommands,
  type MenuCommand,
} from "../adapters/adapter.js";
import { HermesError, SendError } from "../errors.js";
import type { Events } from "../events.js";

export interface ConnectingParts {
  adapter: Adapter;
  /** Receives the platform's messages. */
  intake: AdapterEvents;
  menu: readonly MenuCommand[];
  events: Events;
  signal: AbortSignal;
  pauses?: Pauses;
}

/** Delays between attempts; each is up to twice the previous one. */
export interface Pauses {
  firstMs: number;
  longestMs: number;
  /** Delay after errors only a person can fix, which they may do without a restart. */
  firstRefusedMs: number;
  longestRefusedMs: number;
}

const PAUSES: Pauses = {
  firstMs: 2_000,
  longestMs: 300_000,
  firstRefusedMs: 300_000,
  longestRefusedMs: 3_600_000,
};
const CALL_MS = 30_000;

/** Connects a platform and retries with backoff, independently of other platforms. */
export class Connecting {
  readonly #parts: ConnectingParts;
  readonly #pauses: Pauses;
  #retries: Promise<void> | undefined;

  constructor(parts: ConnectingParts) {
    this.#parts = parts;
    this.#pauses = parts.pauses ?? PAUSES;
  }

  /** Resolves after the first attempt; retries follow in the background. Never rejects. */
  async start(): Promise<void> {
    const failed = await this.#attempt();
    if (failed) this.#retries = this.#tryAgain(failed);
  }

  /** Resolves when no attempt is running or scheduled. Never rejects. */
  async over(): Promise<void> {
    await this.#retries;
  }

  async #tryAgain(first: Failed): Promise<void> {
    let failed: Failed | undefined = first;
    for (let failures = 0; failed; failures++) {
      // Settings only change with a restart.
      if (failed.kind === "invalid") return;
      if (!(await this.#pause(this.#pauseMs(failed, failures)))) return;
      // Cleans up after the previous attempt; if that fails, the next attempt shows what is wrong.
      await this.#parts.adapter.disconnect().catch(() => undefined);
      if (this.#parts.signal.aborted) return;
      failed = await this.#attempt();
    }
  }

  async #attempt(): Promise<Failed | undefined> {
    const { adapter, intake, events, signal } = this.#parts;
    const { platform, account } = adapter;
    try {
      await adapter.connect(intake, signal);
      if (signal.aborted) return undefined;
      events.emit({ type: "platform-connected", platform, account });
      void this.#register();
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      events.emit({ type: "platform-failed", platform, account, error });
      return { kind: kindOf(error) };
    }
  }

  /** Best effort: messages arrive without a command menu. */
  async #register(): Promise<void> {
    const { adapter, menu, signal } = this.#parts;
    if (!canRegisterCommands(adapter)) return;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await adapter.registerCommands(menu, AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]));
      } catch (error) {
        if (signal.aborted) return;
        const refused = error instanceof SendError && error.outcome === "refused";
        if (failures === 0 || refused)
          this.#parts.events.emit({ type: "menu-failed", ...namesOf(adapter), error });
        if (refused || !(await this.#pause(this.#pauseMs({ kind: "passing" }, failures)))) return;
      }
    }
  }

  #pauseMs({ kind }: Failed, failures: number): number {
    const { firstMs, longestMs, firstRefusedMs, longestRefusedMs } = this.#pauses;
    return kind === "refused"
      ? pauseMs(failures, firstRefusedMs, longestRefusedMs)
      : pauseMs(failures, firstMs, longestMs);
  }

  /** Returns false if the adapter must not connect any more. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#parts;
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }
}

interface Failed {
  kind: "passing" | "refused" | "invalid";
}

function kindOf(error: unknown): Failed["kind"] {
  if (!(error instanceof HermesError)) return "passing";
  return error.code === "refused" || error.code === "invalid" ? error.code : "passing";
}

/** Doubles each time, with jitter, so that platforms that failed together don't retry together. */
export function pauseMs(
  failures: number,
  firstMs: number,
  longestMs: number,
  random: () => number = Math.random,
): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures, 20)) * (0.5 + random() / 2);
}

function namesOf({ platform, account }: Adapter): { platform: string; account: string } {
  return { platform, account };
}
