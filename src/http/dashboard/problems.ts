import { MIN_FREE_BYTES } from "../../disk-space.js";
import type { NotReady } from "../../policies/readiness.js";
import type { Overview, Problem } from "./types.js";

export interface ProblemFacts extends Pick<Overview, "platforms" | "mcpServers" | "queues"> {
  notReady: readonly NotReady[];
  /** No model is configured, so the agent repeats what people write. */
  isEcho: boolean;
  /** Why the provider rejected the API key; undefined if it accepts it. */
  keyFault: string | undefined;
  /** On the home's disk; undefined: unknown. */
  freeBytes: number | undefined;
  databaseBytes: number;
  /** Seconds until each open approval expires. */
  approvals: readonly number[];
}

/** Approvals that expire within this time are reported: an expired one denies its call. */
const SOON_SECONDS = 120;

const PAGES: Record<NotReady["check"], string | null> = {
  ...{ gateway: "/log", store: "/log", platforms: "/platforms" },
  ...{ inbox: "/messages?state=waiting", outbox: "/messages" },
};

/** Everything that is wrong with the gateway, worst first. */
export function problemsOf(facts: ProblemFacts): Problem[] {
  const { notReady, platforms, mcpServers, queues, isEcho, keyFault, approvals } = facts;
  const expiring = approvals.filter((seconds) => seconds < SOON_SECONDS).length;
  const dead = queues.inbox.dead + queues.outbox.dead + queues.outbox.unknown;
  const inBrackets = (account: string) => (account === "" ? "" : ` (${account})`);
  return [
    ...notReady
      // Platforms are listed one by one below.
      .filter(({ check }) => check !== "platforms")
      .map(({ check, reason }) => problem("bad", `Not ready, ${check}: ${reason}`, PAGES[check])),
    ...roomProblems(facts),
    ...platforms
      .filter(({ state }) => state !== "ok")
      .map(({ platform, account, state, detail }) =>
        problem(
          state === "down" ? "bad" : "wait",
          `${platform}${inBrackets(account)} is ${state}${detail ? `: ${detail}` : ""}`,
          "/platforms",
        ),
      ),
    ...(keyFault === undefined ? [] : [problem("bad", `The model rejects the key: ${keyFault}`, "/config")]),
    ...(isEcho
      ? [problem("wait", "No model is configured: the agent repeats what people write", "/config")]
      : []),
    ...mcpServers
      .filter(({ state }) => state === "failing")
      .map(({ name, detail }) =>
        problem("wait", `MCP server ${name} fails${detail ? `: ${detail}` : ""}`, "/mcp"),
      ),
    ...(expiring > 0
      ? [
          problem(
            "wait",
            expiring === 1 ? "1 approval expires soon" : `${expiring} approvals expire soon`,
            "/questions",
          ),
        ]
      : []),
    ...(dead > 0
      ? [problem("wait", dead === 1 ? "1 message was given up" : `${dead} messages were given up`, "/dead")]
      : []),
  ].toSorted((a, b) => Number(b.severity === "bad") - Number(a.severity === "bad"));
}

function problem(severity: Problem["severity"], text: string, path: string | null = null): Problem {
  return { severity, text, path };
}

/** Backups and repairs need room for a copy of the database. */
function roomProblems({ freeBytes, databaseBytes }: ProblemFacts): Problem[] {
  if (freeBytes === undefined) return [];
  const free = `${Math.round(freeBytes / 1e6)} MB free on the disk`;
  if (freeBytes < MIN_FREE_BYTES) return [problem("bad", `${free}: writes fail soon`, "/backups")];
  if (freeBytes < 1.5 * databaseBytes)
    return [problem("wait", `${free}: too little for a copy of the database`, "/backups")];
  return [];
}
