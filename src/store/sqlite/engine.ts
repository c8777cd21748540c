import type { OnProgress, WriterStats } from "../store.js";
import type { ForeignFile } from "./foreign.js";
import type { Preparing } from "./prepare.js";
import type { Modes } from "./verbs.js";

/** Runs the verbs on one file: on threads of its own, or on the thread that calls. */
export interface Engine {
  readonly modes: Modes;
  /** A function as the last argument is called with the progress. */
  call(verb: string, args: readonly unknown[]): Promise<unknown>;
  /** Runs work while this process has no connection to the file but the writer's. Reads that come meanwhile wait. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Answered also while another process holds the file. */
  writerStats(): Promise<WriterStats>;
  close(): Promise<void>;
}

export interface EngineOptions extends Preparing {
  foreign: ForeignFile;
  limits: ReadLimits;
}

export interface ReadLimits {
  /** After so long, a read fails. */
  shortMs: number;
  longMs: number;
  /** The thread for long reads ends after so long without one. */
  idleMs: number;
}

export const BULK_MS = 10 * 60_000;

/** Splits the listener from what the verb gets. */
export function withoutListener(args: readonly unknown[]): { plain: unknown[]; onProgress?: OnProgress } {
  const last = args.at(-1);
  if (typeof last !== "function") return { plain: [...args] };
  return { plain: args.slice(0, -1), onProgress: last as OnProgress };
}
