import type { ConfigTexts, LoadedConfig } from "../../config/load.js";
import type { Watcher } from "../../events.js";
import type { Gateway } from "../../gateway.js";
import type { ServerStatus } from "../../mcp/settings.js";
import type { NotReady } from "../../policies/readiness.js";
import type { Reports } from "../../store/reports.js";
import type { Store } from "../../store/store.js";
import type { KnownTargets } from "../../targets/target.js";
import type { MemoryFiles } from "../../tools/memory-files.js";
import type { ToolRegistry } from "../../tools/registry.js";
import type { WebChat } from "../web/chat.js";
import type { BackupParts } from "./backups.js";
import type { ShownHook } from "./hooks-types.js";
import type { OperationsOptions } from "./operations.js";

/** What the dashboard needs from the gateway. */
export interface DashboardOptions {
  reports: Reports;
  store: Store;
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
    | "decideQuestion"
    | "health"
    | "connectPlatform"
    | "disconnectPlatform"
  > & {
    readonly depth: { waiting: number; running: number };
    /** Retries these dead letters or all of them at once. Returns how many. */
    retryDead(ids?: readonly string[]): Promise<number>;
  };
  /** Where messages can be sent. */
  targets: Omit<KnownTargets, "chats">;
  /** How to back up the home, and to which folder. */
  backups: BackupParts;
  /** Each hook with the outcomes of its calls. */
  hookReport(): ShownHook[];
  tools: Pick<ToolRegistry, "listed" | "explained" | "problems">;
  memory: MemoryFiles;
  /** Undefined: the web chat is off. */
  web: WebChat["adapter"] | undefined;
  bootId: string;
  mcpServers(): ServerStatus[];
  operations: OperationsOptions;
  /** The failing checks of /readyz. */
  notReady(): Promise<readonly NotReady[]>;
  /** Why the provider rejected the API key; undefined if it accepts it. */
  keyFault(): string | undefined;
  loaded: LoadedConfig;
  /** Loads these files as the next start would. Throws a ConfigError. */
  loadSettings(texts: ConfigTexts): LoadedConfig;
  home: string;
  version: string;
  startedAt: number;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Calls the watcher for every event. Returns a function that stops it. */
  watch(watcher: Watcher): () => void;
  bounds?: Partial<DashboardBounds>;
}

export interface DashboardBounds {
  /** The maximum number of open event streams. */
  clients: number;
  /** The longest and the shortest time between two updates. */
  maxMs: number;
  minMs: number;
}

export const DEFAULT_BOUNDS: DashboardBounds = { clients: 32, maxMs: 2000, minMs: 250 };
