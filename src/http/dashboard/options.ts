import type { LoadedConfig } from "../../config/load.js";
import type { Gateway } from "../../gateway.js";
import type { ServerStatus } from "../../mcp/settings.js";
import type { NotReady } from "../../policies/readiness.js";
import type { Reports } from "../../store/reports.js";
import type { Store } from "../../store/store.js";
import type { KnownTargets } from "../../targets/target.js";
import type { PlatformHealth } from "./types.js";

/** What the dashboard needs of the gateway. */
export interface DashboardOptions {
  reports: Reports;
  store: Pick<
    Store,
    | "settlePairing"
    | "revokePairing"
    | "getLineage"
    | "searchMessages"
    | "getSession"
    | "getRoute"
    | "listRoutes"
    | "knownChats"
    | "enqueueReply"
    | "setTitle"
    | "discardDead"
    | "exportSessions"
  >;
  gateway: Pick<
    Gateway,
    | "takeOver"
    | "replyAsHuman"
    | "interrupt"
    | "isBusy"
    | "endSession"
    | "deleteSession"
    | "requireAccepting"
    | "wake"
  > & {
    readonly depth: { waiting: number; running: number };
    health(): PlatformHealth[];
    /** Dead → tried again at once, these or all. Gives how many. */
    retryDead(ids?: readonly string[]): Promise<number>;
  };
  /** Where messages can be sent. */
  places: Omit<KnownTargets, "chats">;
  mcpServers(): ServerStatus[];
  /** The checks of /readyz that fail. */
  notReady(): Promise<readonly NotReady[]>;
  /** Why the provider rejected the key last time; undefined: it didn't, or has taken it since. */
  keyFault(): string | undefined;
  loaded: LoadedConfig;
  home: string;
  version: string;
  startedAt: number;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Calls whenever something has happened; gives what ends it. */
  watch(something: () => void): () => void;
  bounds?: Partial<DashboardBounds>;
}

export interface DashboardBounds {
  /** Pages that are kept up to date at the same time. */
  clients: number;
  /** The longest and the least time between two updates. */
  everyMs: number;
  leastMs: number;
}

export const DEFAULT_BOUNDS: DashboardBounds = { clients: 32, everyMs: 2000, leastMs: 250 };
