import { nowSeconds } from "../clock.js";
import type { GatewayInfo } from "../store/membership.js";

type Status = Required<Pick<GatewayInfo, "platforms" | "mcp_servers">>;

export interface StatusFileParts {
  read(): Status;
  write(status: Status & { checked_at: number }): Promise<void>;
  onError(error: unknown): void;
}

const CHECK_INTERVAL_MS = 1000;
/** Written even without changes, so readers can detect a hanging gateway. */
const WRITE_INTERVAL_MS = 30_000;

/** Writes the state of the platforms and MCP servers for other processes, whenever it changes. */
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
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
    this.#check();
    await this.#writing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
  }

  #check(): void {
    if (this.#writing) return;
    const status = this.#parts.read();
    const { platforms, mcp_servers } = status;
    const states = platforms.map(({ platform, account, state, detail }) => [
      platform,
      account,
      state,
      detail,
    ]);
    const current = JSON.stringify([states, mcp_servers]);
    if (current === this.#written && performance.now() - this.#writtenAtMs < WRITE_INTERVAL_MS) return;
    this.#written = current;
    this.#writtenAtMs = performance.now();
    this.#writing = this.#parts
      .write({ checked_at: nowSeconds(), ...status })
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#writing = undefined;
      });
  }
}
