import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { NewRecord, RecordQuery, RecordRow } from "../../queues.js";
import { fromPosition, toPosition } from "../position.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";

const MAX_LISTED = 1000;

interface StoredRecord {
  seq: number;
  platform: string;
  kind: string;
  owner: string;
  id: string;
  place: string | null;
  value: string;
  created_at: number;
  expires_at: number | null;
}

/** An id belongs to its first owner, so that no one can take over another person's record. */
export const saveRecord = write(function saveRecord(db: Database, record: NewRecord): boolean {
  const { platform, kind, owner, id, place = null, value, expiresAt = null } = record;
  const saved = sql(
    db,
    `INSERT INTO gw_records (platform, kind, owner, id, place, value, created_at, expires_at)
     VALUES (@platform, @kind, @owner, @id, @place, @value, @now, @expiresAt)
     ON CONFLICT (platform, kind, id) DO UPDATE SET place = @place, value = @value, expires_at = @expiresAt
       WHERE owner = @owner`,
  ).run({
    ...{ platform, kind, owner, id, place, expiresAt },
    ...{ value: JSON.stringify(value), now: nowSeconds() },
  });
  return saved.changes > 0;
});

export const listRecords = read(function listRecords(db: Database, query: RecordQuery): RecordRow[] {
  const { condition, values } = matching(query);
  const { newest } = query;
  const [before] = newest?.before === undefined ? [null] : fromPosition(newest.before, "number");
  const rows = sql(
    db,
    `SELECT * FROM gw_records WHERE ${condition} ${before === null ? "" : "AND seq < @before"}
     ORDER BY seq ${newest ? "DESC" : ""} LIMIT @limit`,
  ).all({ ...values, before, limit: Math.min(newest?.limit ?? MAX_LISTED, MAX_LISTED) }) as StoredRecord[];
  return rows.map(toRecord);
});

export const removeRecords = write(function removeRecords(db: Database, query: RecordQuery): RecordRow[] {
  const { condition, values } = matching(query);
  const rows = sql(db, `DELETE FROM gw_records WHERE ${condition} RETURNING *`).all(values) as StoredRecord[];
  return rows.map(toRecord);
});

function matching(query: RecordQuery): { condition: string; values: Record<string, unknown> } {
  const { platform, kind, owner, id, place, expiredBy } = query;
  const given = Object.entries({ platform, kind, owner, id, place }).filter(
    ([, value]) => value !== undefined,
  );
  const lasting =
    expiredBy === undefined ? "(expires_at IS NULL OR expires_at > @now)" : "expires_at <= @now";
  return {
    condition: [...given.map(([name]) => `${name} = @${name}`), lasting].join(" AND "),
    values: { ...Object.fromEntries(given), now: expiredBy ?? nowSeconds() },
  };
}

function toRecord({
  seq,
  value,
  created_at,
  expires_at,
  platform,
  kind,
  owner,
  id,
  place,
}: StoredRecord): RecordRow {
  return {
    ...{ platform, kind, owner, id, place, createdAt: created_at, expiresAt: expires_at },
    position: toPosition(seq),
    value: JSON.parse(value) as unknown,
  };
}
