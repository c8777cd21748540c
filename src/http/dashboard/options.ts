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

/** What the dashboard needs of the gateway. */
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
    /** Dead → tried again at once, these or all. Gives how many. */
    retryDead(ids?: readonly string[]): Promise<number>;
  };
  /** Where messages can be sent. */
  targets: Omit<KnownTargets, "chats">;
  /** Of the home, into the configured folder. */
  backups: BackupParts;
  /** Each hook with the outcomes of its calls. */
  hookReport(): ShownHook[];
  tools: Pick<ToolRegistry, "listed" | "explained" | "problems">;
  memory: MemoryFiles;
  /** Undefined: the web chat is off. */
  web: WebChat["adapter"] | undefined;
  bootId: string;
  mcpServers(): ServerStatus[];
  /** The parts that an operator connects, reads and restarts. */
  operations: OperationsOptions;
  /** The checks of /readyz that fail. */
  notReady(): Promise<readonly NotReady[]>;
  /** Why the provider rejected the key last time; undefined: it didn't, or has taken it since. */
  keyFault(): string | undefined;
  loaded: LoadedConfig;
  /** As the next start would load these files. Throws a ConfigError. */
  loadSettings(texts: ConfigTexts): LoadedConfig;
  home: string;
  version: string;
  startedAt: number;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Calls the watcher for every event. Returns a function that ends the watch. */
  watch(watcher: Watcher): () => void;
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
