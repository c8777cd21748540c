import type { Database } from "better-sqlite3";

export interface IdRange {
  /** Exclusive. */
  from: number;
  /** Inclusive. */
  to: number;
  /** The last id when the iteration began. */
  last: number;
}

/** Splits all current messages into id ranges of at most `size` messages. Ids may have wide gaps. */
export function* idRanges(db: Database, size: number): Generator<IdRange> {
  const last = db.prepare("SELECT max(id) FROM messages").pluck().get() as number | null;
  const end = db
    .prepare("SELECT max(id) FROM (SELECT id FROM messages WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)")
    .pluck();
  let from = Number.MIN_SAFE_INTEGER;
  while (last !== null) {
    const to = end.get(from, last, size) as number | null;
    if (to === null) return;
    yield { from, to, last };
    from = to;
  }
}
