/** One MCP server, as configured: `mcp_servers.<name>`. */
export interface ServerSettings {
  enabled: boolean;
  command: string | null;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  url: string | null;
  headers: Readonly<Record<string, string>>;
  /** `oauth`: a person has logged in to the HTTP server with `hermes mcp login`. */
  auth: "oauth" | null;
  oauth: OAuthSettings;
  /** Seconds. */
  timeout: number;
  connect_timeout: number;
  tools: ToolFilter;
  trust: "full" | "untrusted";
  /** The widest allowed access; null to derive it from its tools. */
  allow: readonly string[] | null;
}

export interface OAuthSettings {
  /** Null if the client registers itself. */
  client_id: string | null;
  client_secret: string | null;
  scope: string | null;
  /** Port of the redirect; null for any. */
  redirect_port: number | null;
}

/** By the server's own names of its tools. */
export interface ToolFilter {
  /** Null for all. */
  include: readonly string[] | null;
  exclude: readonly string[];
  resources: boolean;
  prompts: boolean;
}

/** Connecting: first attempt. Failing: retried until it works. Off: disabled or stopped. */
export type ServerState = "connecting" | "ready" | "failing" | "off";

export interface ServerStatus {
  name: string;
  state: ServerState;
  /** How many tools it offers. */
  tools: number;
  /** Why it fails. */
  detail?: string;
}

/** For the operator. */
export interface ServerDetail extends ServerStatus {
  transport: "stdio" | "http";
  /** The program and its arguments, or the address; without values that may be secret. */
  where: string;
  trust: ServerSettings["trust"];
  allow: readonly string[] | null;
  /** Needs a login of a person. */
  oauth: boolean;
  /** What it offers to the agent. */
  offered: readonly OfferedTool[];
  /** The last one since the start or the last reload, also if it has recovered. */
  lastError: { at: number; reason: string } | null;
}

export interface OfferedTool {
  name: string;
  description: string;
  effect: "read" | "write";
}

export function whereOf({ command, args, url }: Pick<ServerSettings, "command" | "args" | "url">): string {
  if (command !== null) return [command, ...args].join(" ");
  const address = new URL(url ?? "none:");
  return `${address.origin === "null" ? "" : address.origin}${address.pathname}`;
}
