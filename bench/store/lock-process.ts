import { Database } from "../../src/store/sqlite/driver.js";

/**
 * `lock-process <file>`: tries to take the write lock repeatedly, without a busy timeout, and reports the longest time
 * without success. That is at least the longest hold, and more if it lost a race for a short gap.
 */
const PAUSE_MS = 1;
const RETRY_MS = 0.05;
const TURN_MS = 20;

const db = new Database(process.argv[2], { timeout: 0 });
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const sleep = (time: number) => Atomics.wait(sleeper, 0, 0, time);
let longest = 0;
let refusedSince: number | undefined;
let stopping = false;
process.once("message", () => {
  stopping = true;
});
process.once("disconnect", () => process.exit());
process.send!("ready");

function attempt(): void {
  const now = performance.now();
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    if (refusedSince !== undefined) longest = Math.max(longest, now - refusedSince);
    refusedSince = undefined;
    sleep(PAUSE_MS);
  } catch (error) {
    if (!(error as { code?: string }).code?.startsWith("SQLITE_BUSY")) throw error;
    refusedSince ??= now;
    sleep(RETRY_MS);
  }
}

/** In short rounds, to receive "stop". */
function turn(): void {
  for (const end = performance.now() + TURN_MS; performance.now() < end; ) attempt();
  if (!stopping) return void setImmediate(turn);
  db.close();
  process.send!(longest, () => process.exit());
}
turn();
