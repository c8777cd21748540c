/** The backups, as the page reads them. */
export interface BackupsState {
  /** The one that is being made. */
  running: {
    name: string;
    startedAt: number;
    step: "database" | "files" | "packing";
    bytes: number;
    ofBytes: number;
  } | null;
  /** The last one that was asked for since the start. */
  last: { name: string; at: number; error: string | null } | null;
}

export interface BackupsAnswer extends BackupsState {
  folder: string;
  /** Newest first. */
  backups: { name: string; bytes: number; at: number }[];
  schedule: {
    /** 0: none. */
    everyHours: number;
    keep: number;
    nextAt: number | null;
  };
}
