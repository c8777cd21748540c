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
  /** Who may use it at most; null: by what its tools do. */
  allow: readonly string[] | null;
}

export interface OAuthSettings {
  /** Null: the client registers itself. */
  client_id: string | null;
  client_secret: string | null;
  scope: string | null;
  /** Of the redirect to this machine; null: any. */
  redirect_port: number | null;
}

/** By the server's own names of its tools. */
export interface ToolFilter {
  /** Null: all. */
  include: readonly string[] | null;
  exclude: readonly string[];
  resources: boolean;
  prompts: boolean;
}

/** Connecting: the first attempt runs. Failing: it is tried again, for ever. Off: disabled, or stopped. */
export type ServerState = "connecting" | "ready" | "failing" | "off";

export interface ServerStatus {
  name: string;
  state: ServerState;
  /** How many tools it offers. */
  tools: number;
  /** Why it fails. */
  detail?: string;
}
