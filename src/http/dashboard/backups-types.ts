/** Responses of the backups API. */
export interface BackupsState {
  /** The backup in progress. */
  running: {
    name: string;
    startedAt: number;
    step: "database" | "files" | "packing";
    bytes: number;
    ofBytes: number;
  } | null;
  /** The last backup that an operator requested since the gateway started. */
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
