import type { OnProgress, WriterStats } from "../store.js";
import type { ForeignFile } from "./foreign.js";
import type { Preparing } from "./prepare.js";
import type { Modes } from "./verbs.js";

/** Runs the verbs on one file, on its own threads or on the calling thread. */
export interface Engine {
  readonly modes: Modes;
  /** A function as the last argument receives progress. */
  call(verb: string, args: readonly unknown[]): Promise<unknown>;
  /** Runs work while the writer has this process's only connection to the file. Reads wait. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Works even while another process locks the file. */
  writerStats(): Promise<WriterStats>;
  close(): Promise<void>;
}

export interface EngineOptions extends Preparing {
  foreign: ForeignFile;
  limits: ReadLimits;
}

export interface ReadLimits {
  /** Timeout of a read. */
  shortMs: number;
  longMs: number;
  /** The thread for long reads ends after this idle time. */
  idleMs: number;
}

export const BULK_MS = 10 * 60_000;

/** Separates the progress listener from the verb's arguments. */
export function withoutListener(args: readonly unknown[]): { plain: unknown[]; onProgress?: OnProgress } {
  const last = args.at(-1);
  if (typeof last !== "function") return { plain: [...args] };
  return { plain: args.slice(0, -1), onProgress: last as OnProgress };
}
