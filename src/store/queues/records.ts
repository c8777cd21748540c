import type { Position } from "../common.js";

/** Small documents that platforms keep about their people: devices, uploads, shares. The platform chooses kinds and ids. */
export interface Records {
  /** Adds or replaces one. False if another owner already has this kind and id; then nothing is saved. */
  saveRecord(record: NewRecord): Promise<boolean>;
  /** Oldest first, or the newest ones; at most a thousand, without expired ones. */
  listRecords(query: RecordQuery): Promise<RecordRow[]>;
  /** Removes and returns them. Of two concurrent calls only one gets them. */
  removeRecords(query: RecordQuery): Promise<RecordRow[]>;
}

export interface RecordName {
  platform: string;
  kind: string;
  /** The person it belongs to; erased with their other data. */
  owner: string;
  /** Unique within its kind. */
  id: string;
}

export interface NewRecord extends RecordName {
  /** The conversation that it belongs to. */
  place?: string | undefined;
  /** Plain JSON. */
  value: object;
  /** Default: never. */
  expiresAt?: number | undefined;
}

export interface RecordRow extends RecordName {
  /** In its list. */
  position: Position;
  place: string | null;
  value: unknown;
  createdAt: number;
  expiresAt: number | null;
}

/** Used as platform for operator actions (`operator-actions.ts`). The kind is the action, the owner is the operator. */
export const OPERATOR = "operator";

/** Missing fields match everything. */
export interface RecordQuery {
  platform: string;
  kind?: string;
  owner?: string;
  id?: string;
  place?: string;
  /** Returns records that expired before this time, instead of valid ones. */
  expiredBy?: number;
  /** Newest first: at most this many before a position. */
  newest?: { limit: number; before?: Position | undefined };
}
