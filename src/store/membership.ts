/** Which gateway works on a store. */
export interface Membership {
  /** Registers this process as the gateway. Rejects while another one runs. */
  join(info: GatewayInfo): Promise<Member>;
  state(): Promise<MembershipState>;
}

/** This process's registration. It ends with the process, however the process ends. */
export interface Member {
  /** The previous gateway crashed. */
  readonly afterCrash: boolean;
  update(changes: Partial<GatewayInfo>): Promise<void>;
  leave(): Promise<void>;
}

export interface MembershipState {
  running: boolean;
  info?: GatewayInfo;
  /** The last gateway crashed: the next start recovers its open work. */
  crashed?: GatewayInfo;
  /** Hermes Agent's own gateway uses this home: ours can't start. */
  agentPid?: number;
}

export interface GatewayInfo {
  pid: number;
  /** Epoch seconds. */
  started_at: number;
  boot_id: string;
  /** Set once the HTTP server listens. */
  url: string | null;
  /** When it last stored the state of its platforms. */
  checked_at?: number;
  platforms?: PlatformStatus[];
  mcp_servers?: McpServerStatus[];
}

export interface McpServerStatus {
  name: string;
  state: "connecting" | "ready" | "failing" | "off";
  tools: number;
  /** Why it fails. */
  detail?: string;
}

export interface PlatformStatus {
  platform: string;
  account: string;
  state: "ok" | "degraded" | "down";
  /** The platform's last proof of life. */
  last_proof_at: number | null;
  /** What is wrong and how to fix it. */
  detail?: string;
}
