import type { Distribution, OnProgress } from "./common.js";

/** Work on the whole file. Only engines with a single file offer it. */
export interface Maintenance {
  /** Returns free space to the disk. False if another process prevents it. */
  shrink(onProgress?: OnProgress): Promise<boolean>;
  /** Merges the search index and returns free space to the disk. */
  optimize(onProgress?: OnProgress): Promise<Optimized>;
  check(onProgress?: OnProgress): Promise<CheckReport>;
  /** Checks, keeps a copy, then rebuilds derived data (indexes, full text). */
  repair(onProgress?: OnProgress): Promise<RepairReport>;
  /** A consistent copy while others read and write. */
  backup(target: string): Promise<void>;
  /**
   * Removes deleted text from the bytes of the file: merges indexes, frees pages, empties the log. `inUse`: the file isn't
   * rewritten as a whole, which would hold up everything else.
   */
  scrub(onProgress?: OnProgress, how?: { inUse: boolean }): Promise<Scrubbed>;
  /** True if something was erased and no scrub has finished since. */
  scrubDue(): Promise<boolean>;
  layout(): Promise<FileLayout>;
  /** Works even while another process locks the file. */
  writerStats(): Promise<WriterStats>;
}

export interface Optimized {
  bytesBefore: number;
  bytesAfter: number;
  converted: boolean;
  /** Why space could not be returned. */
  note?: string;
}

export interface CheckReport {
  ok: boolean;
  problems: string[];
}

export interface RepairReport extends CheckReport {
  copy: string;
  repaired: string[];
}

export interface Scrubbed {
  /** The file was rewritten: no deleted text is left in it. */
  rewritten: boolean;
  /** The write-ahead log is empty. */
  logEmptied: boolean;
}

export interface FileLayout {
  /** How the full text is stored. */
  fullText: "compact" | "inline" | "none";
  /** The version of Hermes' own tables. */
  schemaVersion: number;
}

export interface WriterStats {
  /** Duration of whole transactions, including their writes. */
  commitSeconds: Distribution;
  /** Writes per transaction. */
  commitWrites: Distribution;
  failures: number;
  /** How often another process had the file locked. */
  lockWaits: number;
  /** Pending writes, and how long they have waited without a commit. */
  waiting: number;
  waitingSeconds: number;
  lastCommitAt: number | null;
  lastFailureAt: number | null;
}
