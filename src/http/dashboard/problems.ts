import type { NotReady } from "../../policies/readiness.js";
import type { Overview, Problem } from "./types.js";

export interface ProblemFacts extends Pick<Overview, "platforms" | "mcpServers" | "queues"> {
  notReady: readonly NotReady[];
  /** No model is configured: the agent repeats what people write. */
  isEcho: boolean;
  /** Why the provider rejected the key last time; undefined: it didn't, or has taken it since. */
  keyFault: string | undefined;
}

/** Everything that keeps the gateway from being well, the worst first. None: all is well. */
export function problemsOf(facts: ProblemFacts): Problem[] {
  const { notReady, platforms, mcpServers, queues, isEcho, keyFault } = facts;
  const dead = queues.inbox.dead + queues.outbox.dead + queues.outbox.unknown;
  const problem = (severity: Problem["severity"], text: string, path: string | null = null): Problem => ({
    ...{ severity, text, path },
  });
  const named = (account: string) => (account === "" ? "" : ` (${account})`);
  return [
    ...notReady
      // Platforms are listed one by one.
      .filter(({ check }) => check !== "platforms")
      .map(({ check, reason }) => problem("bad", `Not ready, ${check}: ${reason}`)),
    ...platforms
      .filter(({ state }) => state !== "ok")
      .map(({ platform, account, state, detail }) =>
        problem(
          state === "down" ? "bad" : "wait",
          `${platform}${named(account)} is ${state}${detail ? `: ${detail}` : ""}`,
        ),
      ),
    ...(keyFault === undefined ? [] : [problem("bad", `The model rejects the key: ${keyFault}`, "/config")]),
    ...(isEcho
      ? [problem("wait", "No model is configured: the agent repeats what people write", "/config")]
      : []),
    ...mcpServers
      .filter(({ state }) => state === "failing")
      .map(({ name, detail }) => problem("wait", `MCP server ${name} fails${detail ? `: ${detail}` : ""}`)),
    ...(dead > 0
      ? [problem("wait", dead === 1 ? "1 message was given up" : `${dead} messages were given up`, "/dead")]
      : []),
  ].toSorted((a, b) => Number(b.severity === "bad") - Number(a.severity === "bad"));
}
