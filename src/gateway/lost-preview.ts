import { type Adapter, canFindPreview } from "../adapters/adapter.js";
import { targetOf } from "../message.js";
import type { InboxRow } from "../store/queues.js";
import type { GatewayParts } from "./parts.js";

const LOOK_MS = 5000;
/** After a start, a platform that isn't there by then is not waited for. */
const CONNECT_MS = 10_000;

/** Which platforms have been tried since the start: before that, nobody can be asked anything. */
export class FirstConnects {
  readonly #tried = new Set<Adapter>();
  readonly #waiting = new Set<() => void>();
  #ended = false;

  add(adapter: Adapter): void {
    this.#tried.add(adapter);
    for (const look of this.#waiting) look();
  }

  end(): void {
    this.#ended = true;
    for (const look of this.#waiting) look();
  }

  /** Resolves when it has been tried, or when that takes too long. */
  async of(adapter: Adapter): Promise<void> {
    if (this.#ended || this.#tried.has(adapter)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const look = () => {
        if (this.#ended || this.#tried.has(adapter)) done();
      };
      const timer = setTimeout(done, CONNECT_MS);
      this.#waiting.add(look);
    });
  }
}

/**
 * A turn that died may have left an unfinished answer in the chat whose id nobody had noted yet: where the platform
 * shows it again, it becomes the answer instead of staying behind. Never rejects.
 */
export async function findLostPreview(
  { store, log }: Pick<GatewayParts, "store" | "log">,
  adapter: Adapter | undefined,
  row: InboxRow,
  connects: FirstConnects,
): Promise<void> {
  if (row.attempts === 0 || !adapter || !canFindPreview(adapter)) return;
  try {
    if ((await store.getPreview(row.id)) !== undefined) return;
    await connects.of(adapter);
    const found = await adapter.findPreview(targetOf(row.message), AbortSignal.timeout(LOOK_MS));
    if (found !== null) await store.savePreview(row.id, found);
  } catch (error) {
    log.debug({ err: error, inboxId: row.id }, "could not look for an unfinished answer");
  }
}
