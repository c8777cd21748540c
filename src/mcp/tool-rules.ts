/** Who may use a server's tools, and when they ask first. Pure. */
import type { ToolRestriction } from "../policies/tool-access.js";
import type { ToolDefinition } from "../tools/tool.js";
import { oldToolName, toolName, toolsetName } from "./names.js";
import type { ServerLink } from "./server-link.js";
import type { ServerSettings } from "./settings.js";

/** Extra time to connect before the call's own timeout starts. */
const CONNECT_MS = 10_000;

/** Settings shared by all tools of a server. `onlyReads`: as declared by the server. */
export function commonOf(link: ServerLink, tool: string, onlyReads: boolean) {
  const { name, settings } = link;
  const { allow } = settings;
  return {
    name: toolName(name, tool),
    aliases: [oldToolName(name, tool)],
    toolset: toolsetName(name),
    effect: onlyReads ? ("read" as const) : ("write" as const),
    ...(allow ? { allow: allow as NonNullable<ToolDefinition["allow"]> } : {}),
    restrictions: restrictionsOf(name, settings, onlyReads),
    timeoutMs: settings.timeout * 1000 + CONNECT_MS,
    unavailable: () => link.refusal,
  };
}

/** `tools` in the configuration can't widen these. */
export function restrictionsOf(
  name: string,
  { allow, trust }: Pick<ServerSettings, "allow" | "trust">,
  onlyReads: boolean,
): ToolRestriction[] {
  return [
    ...(allow ? [{ name: `mcp_servers.${name}.allow`, allow }] : []),
    ...(trust === "untrusted" && !onlyReads
      ? [{ name: `the trust in the server ${name}`, ask: "session" as const }]
      : []),
  ];
}
