import { nowSeconds } from "../clock.js";
import type { PlatformStatus } from "../store/sqlite/lock.js";

export interface StatusFileParts {
  look(): PlatformStatus[];
  write(status: { checked_at: number; platforms: PlatformStatus[] }): Promise<void>;
  onError(error: unknown): void;
}

const LOOK_MS = 1000;
/** Also when nothing has changed: who reads it can tell a gateway that hangs. */
const WRITE_EVERY_MS = 30_000;

/** Writes down how the platforms are, whenever that changes: for those who ask from outside. */
export class StatusFile {
  readonly #parts: StatusFileParts;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #written = "";
  #writtenAtMs = 0;

  constructor(parts: StatusFileParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
    await this.#writing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
  }

  #look(): void {
    if (this.#writing) return;
    const platforms = this.#parts.look();
    const news = platforms.map(({ platform, account, state, detail }) => [platform, account, state, detail]);
    const current = JSON.stringify(news);
    if (current === this.#written && performance.now() - this.#writtenAtMs < WRITE_EVERY_MS) return;
    this.#written = current;
    this.#writtenAtMs = performance.now();
    this.#writing = this.#parts
      .write({ checked_at: nowSeconds(), platforms })
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#writing = undefined;
      });
  }
}
