/** `hermes gateway status`, read from the file that the gateway keeps. */

import { nowSeconds } from "../clock.js";
import { resolveHome } from "../config/paths.js";
import type { GatewayInfo, McpServerStatus, PlatformStatus } from "../store/membership.js";
import { membershipOf } from "../store/open.js";
import { oneLine, padToCells } from "./cells.js";
import { io } from "./io.js";
import { colors, print, printJson } from "./output.js";
import { localMinute, relativeTime } from "./times.js";

/** It writes every half minute. */
export const STUCK_SECONDS = 120;

export async function showStatus(options: { json?: boolean }): Promise<void> {
  const home = resolveHome(io().env);
  const { running, info, crashed } = await membershipOf(home).state();
  if (!running) io().exitCode = 1;
  if (options.json) printJson({ running, ...(info ?? {}) });
  else if (!running) print([`No gateway is running on ${home}.`, ...lastWords(crashed)].join("\n"));
  else if (!info) print(`Running on ${home}.`);
  else print(describe(home, info, nowSeconds()).join("\n"));
}

function lastWords(crashed: GatewayInfo | undefined): string[] {
  if (!crashed) return [];
  const { pid, started_at } = crashed;
  const who = `The last one (pid ${pid}, since ${localMinute(started_at)})`;
  return [
    `${who} ended without a goodbye: its log tells why. \`hermes gateway\` picks up what it left undone.`,
  ];
}

function describe(home: string, info: GatewayInfo, now: number): string[] {
  const { pid, started_at, url, checked_at = now, platforms = [], mcp_servers = [] } = info;
  const first = `Running on ${home}: pid ${pid}, started ${relativeTime(started_at, now)}, ${url ?? "no HTTP"}.`;
  const stuck =
    now - checked_at > STUCK_SECONDS
      ? [colors.red(`It has said nothing for ${Math.round((now - checked_at) / 60)} minutes: it may hang.`)]
      : [];
  return [
    first,
    ...stuck,
    ...platforms.map((platform) => drawPlatform(platform, now)),
    ...mcp_servers.map(drawMcpServer),
  ];
}

const STATE_CELLS = 10;
const NAME_CELLS = 24;

function drawPlatform(
  { platform, account, state, last_proof_at, detail }: PlatformStatus,
  now: number,
): string {
  const paint = { ok: colors.green, degraded: colors.yellow, down: colors.red }[state];
  const name = account === platform ? platform : `${platform} ${account}`;
  const heard = last_proof_at === null ? "" : `heard ${ageOf(now - last_proof_at)}`;
  const words = detail === undefined ? heard : oneLine(detail);
  return `  ${paint(padToCells(state, STATE_CELLS))}  ${padToCells(name, NAME_CELLS)}  ${words}`.trimEnd();
}

function drawMcpServer({ name, state, tools, detail }: McpServerStatus): string {
  const paint = { ready: colors.green, connecting: colors.yellow, failing: colors.red, off: colors.dim }[
    state
  ];
  const words = detail === undefined ? `${tools} tools` : oneLine(detail);
  return `  ${paint(padToCells(state, STATE_CELLS))}  ${padToCells(`mcp ${name}`, NAME_CELLS)}  ${words}`;
}

function ageOf(seconds: number): string {
  return seconds < 60
    ? `${Math.max(0, Math.round(seconds))} s ago`
    : relativeTime(nowSeconds() - seconds, nowSeconds());
}
