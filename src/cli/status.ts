/** `hermes gateway status`, read from the gateway's status file. */

import { nowSeconds } from "../clock.js";
import { resolveHome } from "../config/paths.js";
import type { GatewayInfo, McpServerStatus, PlatformStatus } from "../store/membership.js";
import { membershipOf } from "../store/open.js";
import { oneLine, padToCells, shorten } from "./cells.js";
import { fitted } from "./fit.js";
import { io } from "./io.js";
import { counted } from "./numbers.js";
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
  return [`${who} crashed: see its log. \`hermes gateway\` continues its pending work.`];
}

function describe(home: string, info: GatewayInfo, now: number): string[] {
  const { pid, started_at, url, checked_at = now, platforms = [], mcp_servers = [] } = info;
  const first = [
    `Running on ${home}: pid ${pid}, started ${relativeTime(started_at, now)}.`,
    url === undefined ? "It has no HTTP port." : `Web chat and dashboard: ${url}`,
  ];
  const stuck =
    now - checked_at > STUCK_SECONDS
      ? [
          colors.red(
            `It has not responded for ${Math.round((now - checked_at) / 60)} minutes: it may be hanging.`,
          ),
        ]
      : [];
  return [
    ...first,
    ...stuck,
    ...platforms.map((platform) => drawPlatform(platform, now)),
    ...mcp_servers.map(drawMcpServer),
  ];
}

const STATE_CELLS = 10;
/** Fits an account on Discord. */
const NAME_CELLS = 30;

function drawPlatform(
  { platform, account, state, last_proof_at, detail }: PlatformStatus,
  now: number,
): string {
  const paint = { ok: colors.green, degraded: colors.yellow, down: colors.red }[state];
  const name = account === platform ? platform : `${platform} ${account}`;
  const seen = last_proof_at === null ? "" : `last seen ${ageOf(now - last_proof_at)}`;
  return drawState(paint(padToCells(state, STATE_CELLS)), name, detail ?? seen);
}

function drawMcpServer({ name, state, tools, detail }: McpServerStatus): string {
  const paint = { ready: colors.green, connecting: colors.yellow, failing: colors.red, off: colors.dim }[
    state
  ];
  return drawState(paint(padToCells(state, STATE_CELLS)), `mcp ${name}`, detail ?? counted(tools, "tool"));
}

/** `--json` has the whole of a long detail. */
function drawState(state: string, name: string, words: string): string {
  const label = padToCells(shorten(oneLine(name), NAME_CELLS), NAME_CELLS);
  const used = 2 + STATE_CELLS + 2 + NAME_CELLS + 2;
  return `  ${state}  ${label}  ${fitted(oneLine(words), used)}`.trimEnd();
}

function ageOf(seconds: number): string {
  return seconds < 60
    ? `${Math.max(0, Math.round(seconds))} s ago`
    : relativeTime(nowSeconds() - seconds, nowSeconds());
}
