/** Is a gateway running on this home, and how is it doing? */
import { type Finding, found } from "../../finding.js";
import type { LockState } from "../../store/sqlite/lock.js";
import { STUCK_SECONDS } from "../status.js";
import { localMinute } from "../times.js";

/** What the gateway itself says of its platforms: nobody else can see a second poller without being a third. */
export function describePlatforms({ info, running }: LockState, now: number): Finding[] {
  if (!running || !info) return [];
  const silentFor = now - (info.checked_at ?? now);
  const hangs = silentFor > STUCK_SECONDS;
  return [
    ...(hangs
      ? [found.fail(`it has said nothing for ${Math.round(silentFor)} s`, "It hangs: restart it.")]
      : []),
    ...(info.platforms ?? []).flatMap(({ platform, account, state, detail = "in trouble" }) => {
      if (state === "ok") return [];
      const name = account === platform ? platform : `${platform} ${account}`;
      const line = `${name} is ${state}: ${detail}`;
      return [
        state === "down" ? found.fail(line) : found.warn(line, "`hermes gateway status` shows it live."),
      ];
    }),
  ];
}

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
