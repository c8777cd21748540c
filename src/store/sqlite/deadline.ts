import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";

/**
 * A running SQLite statement can't be interrupted from outside, so long reads check their deadline
 * themselves: between rows, and inside statements that scan many rows.
 */

/** Milliseconds on the system's monotonic clock: all threads share it. */
export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n);

export function deadlineError(verb: string): HermesError {
  return new HermesError("unavailable", `The database didn't answer in time (${verb}).`, {
    hint: "Search for rarer words, or request less. If short requests fail too, check the disk and the load.",
  });
}

interface Read {
  verb: string;
  deadline: number;
}

/** Per thread, which runs one read at a time. */
let current: Read | undefined;

/** Runs a read during which `checkDeadline` throws once time is up. Doesn't start a read that is already late. */
export function withDeadline<T>(verb: string, deadline: number | undefined, read: () => T): T {
  current = deadline === undefined ? undefined : { verb, deadline };
  try {
    checkDeadline();
    return read();
  } finally {
    current = undefined;
  }
}

export function checkDeadline(): void {
  if (current && monotonicMs() >= current.deadline) throw deadlineError(current.verb);
}

const ROWS_PER_CHECK = 256;

/** A condition for statements that scan many rows. It is always true, and fails the statement past the deadline. */
export const inTime = (rowid: string) => `(${rowid} % ${ROWS_PER_CHECK} <> 0 OR gw_in_time())`;

/** Lets the statements of this connection use `inTime`. */
export function defineInTime(db: Database): void {
  db.function("gw_in_time", { directOnly: true }, () => {
    checkDeadline();
    return 1;
  });
}

/** The same for rows that are read one by one. */
export function* whileInTime<T>(rows: Iterable<T>): Generator<T> {
  let read = 0;
  for (const row of rows) {
    if (read++ % ROWS_PER_CHECK === 0) checkDeadline();
    yield row;
  }
}
