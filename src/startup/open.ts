import type { Context, Hono } from "hono";
import { TERMINAL } from "../adapters/cli/index.js";
import type { LoadedPlatforms, Platforms } from "../adapters/registry.js";
import { nowSeconds } from "../clock.js";
import { externalTo } from "../config/known-platforms.js";
import { type LoadedConfig, loadConfig } from "../config/load.js";
import { type Env, homePaths } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { Gateway } from "../gateway.js";
import { DatabaseFile } from "../health/database-file.js";
import type { Readiness } from "../health/readiness.js";
import { createDashboard, type Dashboard } from "../http/dashboard/index.js";
import { docsRoutes } from "../http/docs.js";
import type { HealthOptions } from "../http/health.js";
import { mcpRoutes } from "../http/mcp.js";
import { ownerToken } from "../http/owner-token.js";
import { sendRoutes } from "../http/send.js";
import { type ListeningServer, listenHttp } from "../http/server.js";
import { isWebAdapter, type WebChat } from "../http/web/chat.js";
import {
  dropFormerOwners,
  otherLogins,
  startCleanup,
  watchConversations,
  webRoutes,
} from "../http/web/index.js";
import { isSignedIn, visitorBy } from "../http/web/visitor.js";
import type { Log } from "../log.js";
import type { LogFile } from "../log-file.js";
import type { McpServers } from "../mcp/manager.js";
import { type ChatService, DECIDER } from "../mcp-server/service.js";
import { NO_RESTART, type Restart } from "../restart.js";
import { knownTargetsOf } from "../rules.js";
import { operatorLink } from "../sessions/web-login.js";
import { openStore } from "../store/open.js";
import type { Owners } from "../store/queues.js";
import { GATEWAY } from "../store/shared/owner.js";
import type { OnProgress, Store } from "../store/store.js";
import { type MemoryFiles, memoryFiles } from "../tools/memory-files.js";
import type { ToolRegistry } from "../tools/registry.js";
import type { ToolDefinition } from "../tools/tool.js";
import { version } from "../version.js";
import { openAdapters } from "./adapters.js";
import { mcpServers } from "./mcp.js";
import { gatewayParts, type PartsInput } from "./parts.js";
import { openSessionFiles, type SessionFiles } from "./session-files.js";
import type { Shutdown } from "./shutdown.js";
import { backupParts, startUpkeep } from "./upkeep.js";
import { healthOf, readinessOf, type Watched, type Watchers } from "./watchers.js";

export interface OpenOptions {
  home: string;
  env: Env;
  config: Config;
  loaded: LoadedConfig;
  /** Overrides by dotted path, with which the configuration was loaded. */
  flags?: Record<string, unknown> | undefined;
  log: Log;
  bootId: string;
  /** The last gateway of this home didn't shut down properly. */
  afterCrash: boolean;
  watchers: Watchers;
  external: Partial<Platforms>;
  tools?: readonly ToolDefinition[] | undefined;
  agents?: PartsInput["agents"];
  secrets: NonNullable<PartsInput["secrets"]>;
  onProgress?: OnProgress | undefined;
  routes?: ((app: Hono) => void) | undefined;
  /** Unset: the embedding program has its own log. */
  logFile?: LogFile | undefined;
  restart?: Restart | undefined;
  stdin?: NodeJS.ReadableStream | undefined;
  stdout?: NodeJS.WritableStream | undefined;
}

export interface RunningGateway {
  url: string | undefined;
  config: Config;
  home: string;
  gateway: Gateway;
  mcp: McpServers;
  store: Store;
  /** A one-time link that signs the operator in; undefined if the web chat is off. */
  operatorLink(): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** `hermes chat` processes deliver their own messages. */
const OWNERS: Owners = [GATEWAY];

/** Opens everything in order. If a step fails, `shutdown` closes what was opened so far. */
export async function open(options: OpenOptions, shutdown: Shutdown): Promise<RunningGateway> {
  const { home, config } = options;
  // First, so /healthz responds during a long startup.
  const http = await listenHttp(httpSettings(config));
  shutdown.add("traffic", () => http.close());
  const { store, databaseFile } = await openDatabase(options, shutdown);
  const files = openSessionFiles({ ...options, store, except: TERMINAL }, shutdown);
  const platforms = await openAdapters({ ...options, store });
  await files.load(options.afterCrash);
  const mcp = mcpServers(options);
  // After the turns that use them.
  shutdown.add("watchers", () => mcp.stop());
  const memory = memoryFiles(homePaths(home).memoriesDir);
  const { gateway, tools } = newGateway(options, { store, databaseFile, platforms, files, mcp, memory });
  shutdown.add("traffic", () => gateway.stop());
  const { stateDb } = homePaths(home);
  const watched: Watched = {
    ...{ config, gateway, store, stateDb, databaseFile, log: options.log, owners: OWNERS },
  };
  const readiness = readinessOf(watched);
  const dashboard = newDashboard(options, { store, gateway, tools, memory, platforms, mcp, readiness });
  shutdown.add("traffic", () => dashboard.close());
  const web = webChat(options, { store, platforms, gateway });
  if (web) await dropFormerOwners(web);
  if (web) shutdown.add("watchers", watchConversations(web));
  if (web) shutdown.add("timers", startCleanup(web));
  serve(
    options,
    { web, http, store, platforms, gateway, dashboard },
    healthOf(options.watchers, readiness, watched),
  );
  mcp.start();
  await gateway.start();
  readiness.start();
  shutdown.add("timers", () => readiness.stop());
  startUpkeep({ ...options, store }, shutdown);
  return {
    ...{ url: http.url, config, home, gateway, mcp, store },
    operatorLink: async () => web && operatorLink(store, http.url),
    stop: () => shutdown.run(),
  };
}

async function openDatabase({ home, onProgress }: OpenOptions, shutdown: Shutdown) {
  const { stateDb } = homePaths(home);
  const store = await openStore({ path: stateDb, migrate: true, ...(onProgress ? { onProgress } : {}) });
  shutdown.add("store", () => store.close());
  const databaseFile = new DatabaseFile({ path: stateDb });
  await databaseFile.start();
  shutdown.add("timers", () => databaseFile.stop());
  return { store, databaseFile };
}

interface Parts {
  http: ListeningServer;
  store: Store;
  databaseFile: DatabaseFile;
  platforms: LoadedPlatforms;
  files: SessionFiles;
  gateway: Gateway;
  dashboard: Dashboard;
  mcp: McpServers;
  tools: ToolRegistry;
  memory: MemoryFiles;
}

function newGateway(
  { config, log, bootId, home, watchers, tools, secrets, agents }: OpenOptions,
  parts: Pick<Parts, "store" | "databaseFile" | "platforms" | "files" | "mcp" | "memory">,
): Pick<Parts, "gateway" | "tools"> {
  const { store, databaseFile, platforms, files, mcp, memory } = parts;
  const { events, hooks } = watchers;
  const { adapters } = platforms;
  const { index, transcripts } = files;
  const created = gatewayParts({
    ...{ store, config, log, bootId, home, adapters, index, transcripts, events, hooks, owners: OWNERS },
    ...(agents ? { agents } : {}),
    ...{ tools, mcp, secrets, memory },
    refusal: () => databaseFile.refusal,
  });
  return { gateway: new Gateway(created), tools: created.tools };
}

/** Adds all routes to the HTTP server. */
function serve(
  options: OpenOptions,
  parts: Omit<Parts, "files" | "mcp" | "databaseFile" | "tools" | "memory"> & { web: WebChat | undefined },
  health: HealthOptions,
): void {
  const { home, config, log } = options;
  const { http, store, platforms, gateway, dashboard, web } = parts;
  const { dashboardToken } = homePaths(home);
  http.serve({
    ...httpSettings(config),
    log,
    home,
    callbacks: platforms.callbacks,
    areas: platforms.areas,
    ...(web ? { isGuest: (c) => isGuest(c, store), otherLogins: () => otherLogins(web) } : {}),
    isOwnerDevice: async (device) => (await visitorBy(device, store)).owner,
    health,
    ...(config.http.token === null ? { ownerToken: ownerToken(dashboardToken) } : {}),
    routes: (app, ownerOnly) => {
      for (const routes of platforms.routes) routes(app);
      if (web) webRoutes(app, web);
      options.routes?.(app);
      dashboard.routes(app, ownerOnly);
      docsRoutes(app);
      mcpRoutes(app, ownerOnly, chatService(options, store, gateway), log);
      sendRoutes(app, {
        store,
        targets: knownTargetsOf(config),
        hasToken: config.http.token !== null,
        outgoing: (target) => gateway.outgoingRules(target),
        requireAccepting: () => gateway.requireAccepting(),
        wake: () => gateway.wake(),
      });
    },
  });
}

/** Whether someone who is signed in to the web chat may send this request without the token. */
async function isGuest(c: Context, store: Store): Promise<boolean> {
  const { path } = c.req;
  const isWebChat = path === "/" || path.startsWith("/c/") || path.startsWith("/api/web/");
  return isWebChat && (await isSignedIn(c, store));
}

/** Undefined if the web chat is off. */
function webChat(
  { config, home, log, watchers }: OpenOptions,
  { store, platforms, gateway }: Pick<Parts, "store" | "platforms" | "gateway">,
): WebChat | undefined {
  const adapter = platforms.adapters.find(isWebAdapter);
  if (!adapter) return undefined;
  const token = config.http.token ?? ownerToken(homePaths(home).dashboardToken);
  return { store, config, home, gateway, adapter, log, events: watchers.events, ownerToken: token };
}

/** The chats for MCP clients with the owner's token. */
function chatService({ config, watchers }: OpenOptions, store: Store, gateway: Gateway): ChatService {
  return {
    store,
    targets: knownTargetsOf(config),
    decide: (question, choiceId) => gateway.decideQuestion(question, { choiceId }, DECIDER),
    wake: () => gateway.wake(),
    watch: (changed) => watchers.events.watch("mcp", changed),
  };
}

function httpSettings({ http }: Config) {
  return {
    host: http.host,
    port: http.port,
    token: http.token,
    otherNames: http.allowed_hosts,
    requestTimeoutMs: http.request_timeout * 1000,
    ratePerMinute: http.rate_limit,
  };
}

function newDashboard(
  { home, env, flags = {}, loaded, log, bootId, watchers, logFile, restart = NO_RESTART }: OpenOptions,
  parts: Pick<Parts, "store" | "gateway" | "tools" | "memory" | "platforms" | "mcp"> & {
    readiness: Readiness;
  },
): Dashboard {
  const { store, gateway, tools, memory, platforms, mcp, readiness } = parts;
  const { adapters } = platforms;
  let keyFault: string | undefined;
  watchers.events.watch("model key", (event) => {
    if (event.type !== "turn-ended") return;
    if (event.outcome === "answered") keyFault = undefined;
    else if (event.failure?.kind === "credentials") keyFault = event.failure.message;
  });
  const external = externalTo(loaded.config);
  return createDashboard({
    ...{ store, gateway, loaded, home, log, reports: store.reports, version: version() },
    ...{ tools, memory, bootId, web: platforms.adapters.find(isWebAdapter) },
    startedAt: nowSeconds(),
    loadSettings: (texts) => loadConfig({ home, env, flags, external, texts }),
    backups: backupParts({ home, store, config: loaded.config }),
    hookReport: () => watchers.hookReport(),
    targets: knownTargetsOf(loaded.config),
    mcpServers: () => mcp.status(),
    operations: { adapters, mcp, logFile, restart },
    notReady: () => readiness.problems(),
    keyFault: () => keyFault,
    watch: (watcher) => watchers.events.watch("dashboard", watcher),
  });
}
