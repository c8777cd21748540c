import { join } from "node:path";
import { MEDIA_FOLDERS } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { InboundMessage } from "../message.js";
import type { Adapter } from "./adapter.js";

/** Configuration → the platforms that are switched on. Each is loaded on demand: an unused SDK costs nothing. */
export interface RegistryOptions {
  config: Config;
  homeDir: string;
  log: PlatformLog;
  /** Whose files are worth fetching. */
  mayFetch(message: InboundMessage): Promise<boolean>;
}

export type PlatformLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** A place on our HTTP server where a platform calls us. It proves itself there, by a secret or a signature. */
export interface Callback {
  path: string;
  handle(request: Request): Promise<Response>;
}

export interface Platforms {
  adapters: Adapter[];
  callbacks: Callback[];
}

export async function loadPlatforms(options: RegistryOptions): Promise<Platforms> {
  const loaded = await Promise.all([
    ...telegramBots(options),
    ...discordBots(options),
    ...slackBots(options),
  ]);
  return {
    adapters: loaded.map(({ adapter }) => adapter),
    callbacks: loaded.flatMap(({ callback }) => callback ?? []),
  };
}

interface Loaded {
  adapter: Adapter;
  callback?: Callback;
}

/** The platform's own bot, and those that are named under `accounts`: each with the settings of all, but for its own. */
function botsOf<P extends { enabled: boolean; token: string | null; accounts: Record<string, object> }>(
  platform: P,
  name: string,
): (P & { name: string })[] {
  if (!platform.enabled) return [];
  const own = platform.token === null ? [] : [{ ...platform, name }];
  const others = Object.entries(platform.accounts).map(([key, settings]) => ({
    ...platform,
    ...settings,
    name: key,
  }));
  return [...own, ...others];
}

/** Where the files of a chat go, and where files are sent from. */
function mediaOf({ config, homeDir, mayFetch }: RegistryOptions) {
  return {
    home: homeDir,
    folder: MEDIA_FOLDERS.incoming,
    maxBytes: config.media.max_download_bytes,
    mayFetch,
    allowedFolders: [MEDIA_FOLDERS.outgoing],
  };
}

function telegramBots(options: RegistryOptions): Promise<Loaded>[] {
  const { config, log } = options;
  return botsOf(config.platforms.telegram, "telegram").map(async (bot) => {
    const { telegramAdapter } = await import("./telegram/index.js");
    const { secret, path, url } = bot.webhook;
    const adapter = telegramAdapter({
      token: bot.token!,
      apiRoot: bot.api_root,
      replyToMode: bot.reply_to_mode,
      catchUpMaxAgeSeconds: bot.catch_up_max_age,
      media: mediaOf(options),
      log,
      ...(secret === null ? {} : { webhook: { secret, path, ...(url === null ? {} : { publicUrl: url }) } }),
    });
    const { webhookPath } = adapter;
    if (webhookPath === null) return { adapter };
    return {
      adapter,
      callback: { path: webhookPath, handle: (request: Request) => adapter.handleWebhook(request) },
    };
  });
}

function discordBots(options: RegistryOptions): Promise<Loaded>[] {
  const { config, log } = options;
  return botsOf(config.platforms.discord, "discord").map(async (bot) => {
    const { discordAdapter } = await import("./discord/index.js");
    const adapter = discordAdapter({
      token: bot.token!,
      apiUrl: bot.api_url,
      replyToMode: bot.reply_to_mode,
      replyInThread: bot.reply_in_thread,
      catchUpMaxAgeSeconds: bot.catch_up_max_age,
      media: mediaOf(options),
      log,
    });
    return { adapter };
  });
}

function slackBots(options: RegistryOptions): Promise<Loaded>[] {
  const { config, homeDir, log } = options;
  return botsOf(config.platforms.slack, "slack").map(async (bot) => {
    const { slackAdapter } = await import("./slack/index.js");
    const adapter = slackAdapter({
      token: bot.token!,
      appToken: bot.app_token ?? undefined,
      signingSecret: bot.signing_secret ?? undefined,
      apiUrl: bot.api_url,
      account: bot.name,
      replyInThread: bot.reply_in_thread,
      dmTopLevelThreadsAsSessions: bot.dm_top_level_threads_as_sessions,
      slashCommand: bot.slash_command,
      streaming: bot.streaming,
      streamCursor: config.streaming.cursor,
      catchUpMaxAgeSeconds: bot.catch_up_max_age,
      media: mediaOf(options),
      fileDirs: [join(homeDir, MEDIA_FOLDERS.outgoing)],
      log,
    });
    const overHttp = bot.app_token === null;
    const path = bot.name === "slack" ? "/slack/events" : `/slack/${bot.name}/events`;
    return overHttp
      ? { adapter, callback: { path, handle: (request: Request) => adapter.handleRequest(request) } }
      : { adapter };
  });
}
