/** Whether a gateway runs on this home, and the state of its platforms. */
import { type Finding, found } from "../../finding.js";
import type { MembershipState } from "../../store/membership.js";
import { STUCK_SECONDS } from "../status.js";
import { localMinute } from "../times.js";

/** Taken from the running gateway: a check from here would itself be another poller. */
export function describePlatforms({ info, running }: MembershipState, now: number): Finding[] {
  if (!running || !info) return [];
  const silentFor = now - (info.checked_at ?? now);
  const hangs = silentFor > STUCK_SECONDS;
  return [
    ...(hangs
      ? [found.fail(`it has not responded for ${Math.round(silentFor)} s`, "It hangs: restart it.")]
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

export function describeLock({ running, info, crashed, agentPid }: MembershipState): Finding {
  if (agentPid !== undefined)
    return found.fail(
      `Hermes Agent's own gateway is using this home (pid ${agentPid})`,
      "Two gateways would answer everything twice. Stop that one before you start this one.",
    );
  if (!running && crashed)
    return found.warn(
      `not running; the last one (pid ${crashed.pid}, since ${localMinute(crashed.started_at)}) crashed`,
      "Start it again to continue pending work. See its log for the reason.",
    );
  if (!running) return found.ok("not running");
  if (!info) return found.ok("running");
  const where = info.url ? ` at ${info.url}` : "";
  return found.ok(`running${where} (pid ${info.pid}, since ${localMinute(info.started_at)})`);
}

/** The running gateway's MCP servers. */
export function describeMcp({ info, running }: MembershipState): Finding[] {
  if (!running) return [];
  return (info?.mcp_servers ?? []).map(({ name, state, tools, detail }) => {
    if (state === "ready") return found.ok(`${name}: ${tools} tools`);
    if (state === "off") return found.ok(`${name} is off`);
    const line = `${name} is ${state}${detail ? `: ${detail}` : ""}`;
    return found.warn(line, `\`hermes mcp test ${name}\` tests it.`);
  });
}
