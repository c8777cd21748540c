/** Is a gateway running on this home, and how is it doing? */
import { type Finding, found } from "../../finding.js";
import type { LockState } from "../../store/sqlite/lock.js";
import { localMinute } from "../times.js";

export function describeLock({ running, info, crashed, agentPid }: LockState): Finding {
  if (agentPid !== undefined)
    return found.fail(
      `Hermes Agent's own gateway has this home (pid ${agentPid})`,
      "Two would answer everything twice: stop that one before you start this one.",
    );
  if (!running && crashed)
    return found.warn(
      `not running; the last one (pid ${crashed.pid}, since ${localMinute(crashed.started_at)}) ended without a goodbye`,
      "Start it again: what it left undone is picked up. Its log tells why.",
    );
  if (!running) return found.ok("not running");
  if (!info) return found.ok("running");
  const where = info.url ? ` at ${info.url}` : "";
  return found.ok(`running${where} (pid ${info.pid}, since ${localMinute(info.started_at)})`);
}
