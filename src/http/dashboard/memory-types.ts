export interface MemoryAnswer {
  entries: string[];
  chars: number;
  maxChars: number;
  /** Of these entries: who saves others gives it back. */
  version: string;
}
