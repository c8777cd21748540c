/** Small documents that a platform keeps about its people: devices, uploads, shares. The platform chooses kinds and ids. */
export interface Records {
  /** Adds one, or replaces it. False: another owner has one of this kind with this id, so nothing was saved. */
  saveRecord(record: NewRecord): Promise<boolean>;
  /** Oldest first, at most a thousand, without those that have expired. */
  listRecords(query: RecordQuery): Promise<RecordRow[]>;
  /** Removes them. Of two calls at once, one gets them. */
  removeRecords(query: RecordQuery): Promise<RecordRow[]>;
}

export interface RecordName {
  platform: string;
  kind: string;
  /** The person that it belongs to; it goes with their other data when they are erased. */
  owner: string;
  /** Unique among those of its kind. */
  id: string;
}

export interface NewRecord extends RecordName {
  /** Groups those of one owner, for example by conversation. */
  place?: string | undefined;
  /** Plain JSON. */
  value: object;
  /** Left out: never. */
  expiresAt?: number | undefined;
}

export interface RecordRow extends RecordName {
  place: string | null;
  value: unknown;
  createdAt: number;
  expiresAt: number | null;
}

/** What is left out matches all. */
export interface RecordQuery {
  platform: string;
  kind?: string;
  owner?: string;
  id?: string;
  place?: string;
  /** Those that expired before this time, instead of those that are valid. */
  expiredBy?: number;
}
