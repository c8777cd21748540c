import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import type { Hono } from "hono";
import type { Adapter } from "./adapters/adapter.js";
import { isChatId } from "./adapters/chat-ids.js";
import { TERMINAL } from "./adapters/cli/index.js";
import { consoleAdapter } from "./adapters/console/index.js";
import { cronAdapter } from "./adapters/cron/index.js";
import { checkFurther } from "./adapters/further.js";
import { loadPlatforms, type PlatformLog, type Platforms } from "./adapters/registry.js";
import { type WebAdapter, webAdapter } from "./adapters/web/index.js";
import { keyProblems } from "./agents/key-check.js";
import { systemPrompt } from "./agents/prompt.js";
import { createAgents } from "./agents/registry.js";
import { summarise } from "./agents/summariser.js";
import { makeTitle } from "./agents/titler.js";
import { estimateTokens } from "./agents/tokens.js";
import { toolsFor } from "./agents/tools/index.js";
import { joinEntries, memoryFiles } from "./agents/tools/memory-files.js";
import { BackupSchedule } from "./backup/schedule.js";
import { nowSeconds } from "./clock.js";
import { type LoadedConfig, loadConfig } from "./config/load.js";
import { isSecretPath } from "./config/mask.js";
import { type Env, ensureHome, homePaths, resolveHome } from "./config/paths.js";
import type { Config } from "./config/schema.js";
import { findTarget } from "./delivery/find-target.js";
import type { Events } from "./events.js";
import { DatabaseFile } from "./gateway/database-file.js";
import { dueByClock, realign } from "./gateway/due-runs.js";
import { startHousekeeping } from "./gateway/housekeeping.js";
import type { GatewayParts } from "./gateway/parts.js";
import { routerOptionsOf } from "./gateway/router-options.js";
import { StatusFile } from "./gateway/status-file.js";
import { Gateway } from "./gateway.js";
import { secureHome } from "./home-modes.js";
import { API_AREA, apiServer } from "./http/api-server.js";
import { createDashboard, type Dashboard } from "./http/dashboard/index.js";
import { ownerToken } from "./http/owner-token.js";
import { clientOf } from "./http/request.js";
import { sendRoutes } from "./http/send.js";
import { type HttpServer, listenHttp } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import type { InboundMessage, OutboundFile, Principal } from "./message.js";
import { fallbackSummary, serialiseForSummary } from "./policies/compression.js";
import { commands } from "./routing/commands/index.js";
import { route } from "./routing/router.js";
import { isolationOf, placesOf } from "./rules.js";
import { adoptIndex } from "./sessions/adopt.js";
import { FilesThread } from "./sessions/files-thread.js";
import { indexState } from "./sessions/index-stamp.js";
import { IndexWriter } from "./sessions/index-writer.js";
import { sessionKey } from "./sessions/key.js";
import { Transcripts } from "./sessions/transcript.js";
import { TranscriptKeeper } from "./sessions/transcript-keeper.js";
import type { Looks } from "./store/looks.js";
import type { ReplyFile, Share } from "./store/queues.js";
import { openStore } from "./store/sqlite/index.js";
import { acquireLock, type Lock } from "./store/sqlite/lock.js";
import type { OnProgress, Store } from "./store/store.js";
import { version } from "./version.js";
import { healthOf, readinessOf, startWatchers, type Watchers } from "./watchers.js";

/** Wires everything; the only place that does. */

export interface StartOptions {
  env?: Env;
  /** Dotted paths over everything else: `{"http.port": 0}`. */
  flags?: Record<string, unknown>;
  log?: Log;
  onProgress?: OnProgress;
  /** Further platforms: for programs that the gateway is a part of. */
  platforms?(given: PlatformsGiven): Partial<Platforms> | Promise<Partial<Platforms>>;
  /** Further routes on the HTTP port, behind its checks: for programs that the gateway is a part of. */
  routes?(app: Hono): void;
  /** For the console platform. */
  stdin?: NodeJS.ReadableStream;
  stdout?: NodeJS.WritableStream;
}

/** What an adapter may need of the gateway. */
export interface PlatformsGiven {
  config: Config;
  home: string;
  log: PlatformLog;
}

export interface RunningGateway {
  url: string | undefined;
  config: Config;
  home: string;
  gateway: Gateway;
  store: Store;
  stop(): Promise<void>;
}

const CHAT_LOG_ENTRIES = 200;
const CHAT_SESSIONS = 50;

export async function startGateway(options: StartOptions = {}): Promise<RunningGateway> {
  const env = options.env ?? process.env;
  const home = resolveHome(env);
  ensureHome(home);
  const loaded = loadConfig({ home, env, ...(options.flags ? { flags: options.flags } : {}) });
  const { config } = loaded;
  const log =
    options.log ??
    (await createLog({ level: config.log.level, pretty: process.stderr.isTTY, secrets: secretsOf(config) }));
  const secured = secureHome(home);
  if (secured.length > 0) log.warn({ paths: secured }, "these were open to other users and are private now");
  const bootId = randomUUID();
  const lock = await acquireLock(home, {
    pid: process.pid,
    started_at: nowSeconds(),
    boot_id: bootId,
    url: null,
  });
  try {
    const running = await open({
      ...options,
      home,
      config,
      loaded,
      log,
      bootId,
      afterCrash: lock.afterCrash,
    });
    await lock.update({ url: running.url ?? null });
    const status = statusFile(running.gateway, lock, log);
    await status.start();
    const housekeeping = startHousekeeping(home, log);
    return {
      ...running,
      stop: async () => {
        housekeeping.stop();
        await status.stop();
        await running.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function statusFile(gateway: Gateway, lock: Lock, log: Log): StatusFile {
  return new StatusFile({
    look: () =>
      gateway.health().map(({ lastProofAt, ...health }) => ({ ...health, last_proof_at: lastProofAt })),
    write: (status) => lock.update(status),
    onError: (error) => log.warn({ err: error }, "the state of the platforms was not written"),
  });
}

interface OpenOptions extends StartOptions {
  /** The last gateway of this home didn't say goodbye. */
  afterCrash: boolean;
  home: string;
  config: Config;
  loaded: LoadedConfig;
  log: Log;
  bootId: string;
}

/** Terminals look after their own. */
const SHARE: Share = { except: TERMINAL };

async function open(options: OpenOptions): Promise<RunningGateway> {
  const { home, config, log, bootId } = options;
  const paths = homePaths(home);
  const platformLog: PlatformLog = (level, message, fields = {}) => log[level](fields, message);
  const further = (await options.platforms?.({ config, home, log: platformLog })) ?? {};
  checkFurther(further.adapters ?? []);
  const watchers = await startWatchers({
    log,
    bootId,
    env: options.env ?? process.env,
    hooks: { dir: paths.hooksDir, settings: config.hooks },
  });
  let listening: HttpServer | undefined;
  let gateway: Gateway | undefined;
  let dashboard: Dashboard | undefined;
  let opened: Store | undefined;
  const undo: (() => unknown)[] = [];
  try {
    // First of all: whoever watches the process sees that it is alive, however long the rest takes.
    const http = await listenHttp({ ...httpSettings(config) });
    listening = http;
    const store = await openStore({
      path: paths.stateDb,
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    });
    opened = store;
    const databaseFile = new DatabaseFile({ path: paths.stateDb });
    await databaseFile.start();
    undo.push(() => databaseFile.stop());
    const files = new FilesThread();
    undo.push(() => files.close());
    const index = new IndexWriter({
      path: paths.sessionsIndex,
      stateDb: paths.stateDb,
      except: TERMINAL,
      files,
      store,
      onError: (error) => log.warn({ err: error }, "sessions.json was not written"),
    });
    undo.push(() => index.close());
    const web = config.platforms.web.enabled ? webChat(store, config, home) : undefined;
    const startedAt = nowSeconds();
    const api = config.platforms.api_server.enabled ? apiServer(store, config, home, log) : undefined;
    const platforms = await loadPlatforms({
      config,
      homeDir: home,
      log: platformLog,
      findTarget: (words) => findTarget(store, words, { ...placesOf(config), isChatId }),
      outcome: store.eventOutcome,
      mayFetch: (message) => isWanted(store, config, startedAt, message),
    });
    const adapters: Adapter[] = [
      ...platforms.adapters,
      ...(further.adapters ?? []),
      ...(web ? [web] : []),
      ...(api ? [api] : []),
      ...(config.platforms.console.enabled
        ? [
            consoleAdapter({
              input: options.stdin ?? process.stdin,
              output: options.stdout ?? process.stdout,
            }),
          ]
        : []),
    ];
    if (config.cron.enabled) adapters.push(schedules(store, config, log));
    for (const name of withoutAdapter(config, adapters))
      log.warn({ platform: name }, "the platform is switched on, but nothing here speaks to it");
    if (config.cron.enabled) await realign({ store, config }, nowSeconds());
    await loadIndex(options, { store, index, files, path: paths.sessionsIndex });
    const transcripts = new TranscriptKeeper({
      ...{ transcripts: new Transcripts({ dir: paths.sessionsDir, files }), store, log },
    });
    await transcripts.mend(options);
    const started = new Gateway(
      gatewayParts({
        ...{ store, config, log, bootId, home, adapters, index, transcripts },
        events: watchers.events,
        hooks: watchers.hooks,
        refusal: () => databaseFile.refusal,
        share: SHARE,
      }),
    );
    gateway = started;
    const shown = dashboardOf(options, {
      store,
      looks: store.looks,
      gateway: started,
      events: watchers.events,
    });
    dashboard = shown;
    const watched = {
      config,
      gateway: started,
      store,
      stateDb: paths.stateDb,
      databaseFile,
      log,
      share: SHARE,
    };
    const readiness = readinessOf(watched);
    http.serve({
      ...httpSettings(config),
      log,
      home,
      callbacks: [...platforms.callbacks, ...(further.callbacks ?? [])],
      areas: api ? [API_AREA] : [],
      health: healthOf(watchers, readiness, watched),
      ...(config.http.token === null ? { ownerToken: ownerToken(paths.dashboardToken) } : {}),
      routes: (app, ownerOnly) => {
        web?.routes(app);
        api?.routes(app);
        options.routes?.(app);
        shown.routes(app, ownerOnly);
        sendRoutes(app, {
          store,
          places: { ...placesOf(config), isChatId },
          hasToken: config.http.token !== null,
          outgoing: (target) => started.outgoingPlace(target),
          requireAccepting: () => started.requireAccepting(),
          wake: () => started.wake(),
        });
      },
    });
    await started.start();
    readiness.start();
    void prune(store, config, log);
    const startup = new AbortController();
    void warnAboutKeys(config, log, startup.signal);
    const backups = backupSchedule({ store, config, home, log });
    backups.start();
    return {
      url: http.url,
      config,
      home,
      gateway: started,
      store,
      stop: async () => {
        startup.abort();
        readiness.stop();
        databaseFile.stop();
        await backups.stop();
        await stop({ http, dashboard, gateway: started, index, transcripts, files, store, watchers });
      },
    };
  } catch (error) {
    // What runs already would keep the process alive.
    await Promise.all([listening?.close(), dashboard?.close(), gateway?.stop()]);
    await watchers.close();
    for (const step of undo.reverse())
      await Promise.resolve()
        .then(step)
        .catch((fault: unknown) => log.warn({ err: fault }, "not everything could be closed"));
    await opened?.close();
    throw error;
  }
}

function withoutAdapter(config: Config, adapters: readonly Adapter[]): string[] {
  const spoken = new Set(adapters.map(({ platform }) => platform));
  return Object.entries(config.platforms)
    .filter(([name, { enabled }]) => enabled && !spoken.has(name))
    .map(([name]) => name);
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

/** The operator's page. */
function dashboardOf(
  { home, loaded, log }: OpenOptions,
  { store, looks, gateway, events }: { store: Store; looks: Looks; gateway: Gateway; events: Events },
): Dashboard {
  return createDashboard({
    looks,
    store,
    gateway,
    loaded,
    home,
    version: version(),
    startedAt: nowSeconds(),
    log,
    watch: (something) => events.watch("dashboard", something),
  });
}

async function stop(running: {
  http: HttpServer | undefined;
  dashboard: Dashboard | undefined;
  gateway: Gateway;
  index: IndexWriter;
  transcripts: TranscriptKeeper;
  files: FilesThread;
  store: Store;
  watchers: Watchers;
}): Promise<void> {
  await Promise.all([running.http?.close(), running.dashboard?.close(), running.gateway.stop()]);
  await running.watchers.close();
  await running.transcripts.idle();
  await running.index.close();
  await running.files.close();
  await running.store.close();
}

/** The database is the truth: the file is read only where another Hermes wrote it. */
async function loadIndex(
  { config, log, afterCrash }: Pick<OpenOptions, "config" | "log" | "afterCrash">,
  { store, index, files, path }: { store: Store; index: IndexWriter; files: FilesThread; path: string },
): Promise<void> {
  const state = await indexState(store, path);
  if (state === "foreign") {
    const place = { store, files, path, isolation: isolationOf(config), except: TERMINAL };
    const { adopted, problems } = await adoptIndex(place);
    for (const problem of problems) log.warn({ problem }, "sessions.json");
    if (adopted > 0) log.info({ adopted }, "took over the sessions of another Hermes");
  }
  // After a crash the last changes may be missing.
  if (state !== "current" || afterCrash) index.changed();
}

function backupSchedule({
  store,
  config,
  home,
  log,
}: Pick<OpenOptions, "config" | "home" | "log"> & { store: Store }): BackupSchedule {
  const { every_hours: everyHours, keep, folder } = config.backup;
  return new BackupSchedule({
    home,
    store,
    version: version(),
    isSecretPath,
    folder: folder === null ? homePaths(home).backupsDir : resolve(home, folder),
    everyHours,
    keep,
    log,
  });
}

async function prune(store: Store, config: Config, log: Log): Promise<void> {
  const { auto_prune, retention_days, min_interval_hours, vacuum_after_prune } = config.sessions;
  try {
    const done = await store.autoPrune({
      enabled: auto_prune,
      retentionDays: retention_days,
      minIntervalHours: min_interval_hours,
      vacuumAfterPrune: vacuum_after_prune,
    });
    if (done) log.info(done, "old sessions pruned");
  } catch (error) {
    log.warn({ err: error }, "pruning failed");
  }
}

async function warnAboutKeys(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  for (const problem of await keyProblems(config, signal)) log.warn(problem);
}

export interface PartsInput {
  store: Store;
  config: Config;
  log: Log;
  bootId: string;
  home: string;
  adapters: readonly Adapter[];
  /** `sessions.json`, where this process writes it. */
  index?: IndexWriter;
  transcripts: TranscriptKeeper;
  events: Events;
  hooks?: GatewayParts["hooks"];
  refusal?: NonNullable<GatewayParts["refusal"]>;
  share: Share;
}

export function gatewayParts({
  store,
  config,
  log,
  bootId,
  home,
  adapters,
  index,
  transcripts,
  events,
  hooks,
  refusal,
  share,
}: PartsInput): GatewayParts {
  const { main: agent, auxiliary } = createAgents(config);
  const memory = memoryFiles(homePaths(home).memoriesDir);
  const remembered = async (slot: "shared" | Principal) => joinEntries(await memory.read(slot));
  const sessions = {
    searchMessages: store.searchMessages,
    getSession: store.getSession,
    getMessages: (id: string) => store.getMessages(id),
    listSessions: store.listSessions,
    getLineage: store.getLineage,
    canSee: async (principal: Principal, id: string) =>
      (await store.resolveSession(id, principal))?.id === id,
  };
  return {
    config,
    store,
    bootId,
    agent,
    auxiliary,
    adapters,
    events,
    ...(hooks ? { hooks } : {}),
    ...(refusal ? { refusal } : {}),
    log,
    homeDir: home,
    estimateTokens,
    tools: async (session, principal) =>
      toolsFor({ principal, sessionId: session.id, sessions, memory, shared: session.user_id === null }),
    systemPrompt: async ({ origin, shared, principal, errand }) =>
      systemPrompt({
        unattended: errand !== undefined,
        platform: origin.platform,
        chatType: origin.chatType,
        shared,
        principalName: origin.userName ?? null,
        memory: { own: await remembered(principal), shared: await remembered("shared") },
        configured: config.agent.system_prompt,
        sendsFrom: config.gateway.media_delivery_allow_dirs,
        now: new Date(),
        timezone: config.timezone,
      }),
    summarise: async ({ previousSummary, ...request }, signal) => {
      const rules = { serialise: serialiseForSummary, fallback: fallbackSummary };
      const summary = await summarise(
        auxiliary,
        rules,
        { ...request, ...(previousSummary ? { previousSummary } : {}) },
        signal,
      );
      if (summary.error) log.warn({ reason: summary.error }, "the summary was made without a model");
      return summary.text;
    },
    title: (exchange, signal) =>
      makeTitle(auxiliary, exchange, signal, (reason) => log.warn({ reason }, "no title could be made")),
    share,
    routesChanged: () => index?.changed(),
    messagesChanged: (id) => transcripts.changed(id),
    messagesCommitted: (session, messages) => transcripts.committed(session, messages),
  };
}

function schedules(store: Store, config: Config, log: Log): Adapter {
  const due = dueByClock({
    store,
    config,
    places: { ...placesOf(config), isChatId },
    unreadable: ({ id, name }, fault) =>
      log.warn(
        { id, fault },
        `the schedule "${name}" can't be read and is left out: hermes cron remove ${id}`,
      ),
  });
  return cronAdapter({
    due,
    failed: (error) => log.warn({ err: error }, "schedules were not looked at"),
  });
}

/** The browser's chat, as the page asks for it. */
function webChat(store: Store, config: Config, home: string): WebAdapter {
  const keyOf = (chatId: string) =>
    sessionKey({ platform: "web", chatType: "dm", chatId, userId: chatId }, isolationOf(config));
  return webAdapter({
    clientOf,
    commands: commands.map(({ name, usage, description }) => ({
      name,
      description,
      ...(usage ? { usage } : {}),
    })),
    chatLog: async (chatId) => {
      const entries = await store.chatLog("web", chatId, CHAT_LOG_ENTRIES);
      return entries.map((entry) => ({ ...entry, files: sentFiles(entry) }));
    },
    file: async (chatId, outboxId, index) => {
      const row = await store.getDelivery(outboxId);
      const isTheirs = row?.target.platform === "web" && row.target.chatId === chatId;
      const file = isTheirs ? sentFiles(row)[index] : undefined;
      return file && { ...file, file: join(home, file.path) };
    },
    session: async (chatId) => {
      const route = await store.getRoute(keyOf(chatId));
      const session = route && (await store.getSession(route.sessionId));
      return session ? { id: session.id, title: session.title } : null;
    },
    sessions: async (chatId) => {
      const asker = { platform: "web", userId: chatId };
      const rows = await store.listSessions({ asker, order: "active", limit: CHAT_SESSIONS });
      return rows.map(({ id, title, preview, last_active }) => ({
        id,
        title,
        preview,
        lastActive: last_active,
      }));
    },
  });
}

function sentFiles({ files }: { files: readonly ReplyFile[] }): OutboundFile[] {
  return files.filter((file) => "path" in file);
}

/** Files of strangers, and of messages that are not for the bot, take no room. */
async function isWanted(
  store: Store,
  config: Config,
  startedAt: number,
  message: InboundMessage,
): Promise<boolean> {
  const { to } = await route(message, routerOptionsOf(config, store, startedAt), nowSeconds());
  return to === "turn" || to === "command";
}

/** What must never stand in a log, whatever it looks like. */
export function secretsOf(config: Config): string[] {
  const found: string[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "string" && isSecretPath(path)) found.push(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(config, []);
  return found;
}
