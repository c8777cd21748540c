/**
 * SQLite goes on writing into a file that was deleted or replaced under it, and all of that is gone with the process.
 * So the path is compared every two seconds with the file that was opened. The log beside it (-wal) is no such proof:
 * a vacuum makes a new one.
 */
import { stat } from "node:fs/promises";
import { HermesError } from "../errors.js";

export interface DatabaseFileOptions {
  path: string;
  everyMs?: number;
}

const LOOK_EVERY_MS = 2000;

export class DatabaseFile {
  readonly #options: DatabaseFileOptions;
  /** Its device and inode. */
  #opened: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #isReplaced = false;
  /** Called when it was replaced, and when it is back. */
  onChange: (() => void) | undefined;

  constructor(options: DatabaseFileOptions) {
    this.#options = options;
  }

  /** Right after the database was opened. */
  async start(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => void this.#look(), this.#options.everyMs ?? LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Why nothing may be accepted; undefined while everything is as it should be. */
  get refusal(): HermesError | undefined {
    return this.#isReplaced ? new HermesError("unavailable", REPLACED, { hint: RESTART }) : undefined;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    // A disk that can't be asked says nothing about the file.
    const found = await identityOf(this.#options.path).catch(() => undefined);
    this.#looking = false;
    this.#opened ??= found;
    const isReplaced = found !== this.#opened;
    if (found === undefined || isReplaced === this.#isReplaced) return;
    this.#isReplaced = isReplaced;
    this.onChange?.();
  }
}

const REPLACED = "The database was deleted or replaced while the gateway was running.";
const RESTART = "Restart the gateway: until then nothing is accepted.";
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
