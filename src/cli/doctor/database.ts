/** The database: whether it opens, is intact, and is pruned. */
import type { Config } from "../../config/schema.js";
import { type Finding, found } from "../../finding.js";
import type { FileLayout, Stats, Store } from "../../store/store.js";
import { counted, dataSize } from "../numbers.js";
import { withProgress } from "../progress.js";

export function describeContents(
  { sessions, messages }: Stats,
  { schemaVersion, fullText }: FileLayout,
): Finding {
  const contents = `${counted(sessions, "session")}, ${counted(messages, "message")}`;
  return found.ok(`opens (schema ${schemaVersion}, ${fullText}): ${contents}`);
}

/** Smaller files are checked completely, which is quick. */
const SMALL_BYTES = 64 * 1024 * 1024;

export async function checkIntegrity(store: Store, databaseBytes: number, deep: boolean): Promise<Finding> {
  if (!deep && databaseBytes > SMALL_BYTES)
    return found.ok(`not checked: ${dataSize(databaseBytes)} would take a while; --deep checks it`);
  const { ok, problems } = await withProgress((onProgress) => store.maintenance.check(onProgress));
  if (ok) return found.ok("every page and index is intact");
  return found.fail(problems.join("\n"), "Run `hermes sessions repair`; it keeps a copy.");
}

/** Larger files get a warning if nothing is ever pruned. */
const LARGE_BYTES = 500 * 1024 * 1024;
/** Pruning runs once a day, while the gateway runs. */
const OVERDUE_DAYS = 3;

export function judgeSize(
  databaseBytes: number,
  prunable: number,
  { auto_prune, retention_days }: Config["sessions"],
  running: boolean,
): Finding {
  const size = dataSize(databaseBytes);
  const old = `${counted(prunable, "ended session")} older than ${retention_days} days`;
  if (prunable === 0) return found.ok(`${size}, nothing is older than ${retention_days} days`);
  if (auto_prune && running)
    return found.warn(`${size}, ${old} though sessions.auto_prune is on`, "Look for `pruning` in the log.");
  if (auto_prune) return found.ok(`${size}, ${old}: pruned when the gateway starts`);
  if (databaseBytes < LARGE_BYTES) return found.ok(`${size}, ${old} (sessions.auto_prune is off)`);
  return found.warn(
    `${size}, ${old}`,
    `\`hermes sessions prune --older-than ${retention_days}\` removes them, sessions.auto_prune: true from now on.`,
  );
}

/** The age that pruning should have enforced by now. */
export function retentionDays(config: Config["sessions"], running: boolean): number {
  return config.retention_days + (config.auto_prune && running ? OVERDUE_DAYS : 0);
}
