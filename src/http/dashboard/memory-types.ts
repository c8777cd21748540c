export interface MemoryAnswer {
  entries: string[];
  chars: number;
  maxChars: number;
  /** Identifies these entries. Saving needs the version of the list that was edited. */
  version: string;
}
