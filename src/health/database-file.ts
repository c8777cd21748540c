/**
 * SQLite keeps writing to a file that was deleted or replaced, and those writes are lost when the process
 * ends. So every two seconds the path is compared with the opened file. The -wal file can't be used for this:
 * a vacuum replaces it.
 */
import { stat } from "node:fs/promises";
import { HermesError } from "../errors.js";

export interface DatabaseFileOptions {
  path: string;
  everyMs?: number;
}

const CHECK_INTERVAL_MS = 2000;

export class DatabaseFile {
  readonly #options: DatabaseFileOptions;
  /** Device and inode of the opened file. */
  #opened: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking = false;
  #isReplaced = false;
  /** Called when the file was replaced, and when it is back. */
  onChange: (() => void) | undefined;

  constructor(options: DatabaseFileOptions) {
    this.#options = options;
  }

  /** Call right after opening the database. */
  async start(): Promise<void> {
    await this.#check();
    this.#timer = setInterval(() => void this.#check(), this.#options.everyMs ?? CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Why messages can't be accepted; undefined if they can. */
  get refusal(): HermesError | undefined {
    return this.#isReplaced ? new HermesError("unavailable", REPLACED, { hint: RESTART }) : undefined;
  }

  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    // An error from the disk doesn't mean that the file was replaced.
    const current = await identityOf(this.#options.path).catch(() => undefined);
    this.#checking = false;
    this.#opened ??= current;
    const isReplaced = current !== this.#opened;
    if (current === undefined || isReplaced === this.#isReplaced) return;
    this.#isReplaced = isReplaced;
    this.onChange?.();
  }
}

const REPLACED = "The database was deleted or replaced while the gateway was running.";
const RESTART = "Restart the gateway: it accepts no messages until then.";
const MISSING = "missing";

async function identityOf(path: string): Promise<string> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return MISSING;
    throw error;
  }
}
