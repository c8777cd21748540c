import { MEDIA_FOLDERS } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { isAddress, type WebhookConfig } from "../config/sections/webhooks.js";
import { HermesError } from "../errors.js";
import type { EventOutcome, InboundMessage, Target } from "../message.js";
import type { Adapter } from "./adapter.js";
import { botsOf, slackEventsPath, telegramWebhook } from "./bots.js";
import { unusable } from "./unusable.js";
import type { Hook } from "./webhook/index.js";

/** Configuration → the platforms that are switched on. Each is loaded on demand: an unused SDK costs nothing. */
export interface RegistryOptions {
  config: Config;
  homeDir: string;
  log: PlatformLog;
  /** Words for a chat → the chat. */
  findTarget(words: string): Promise<Target | undefined>;
  /** What became of an event of a platform. */
  outcome(platform: string, account: string, eventId: string): Promise<EventOutcome | undefined>;
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
  /** Anybody may call there: how often is counted. */
  limited?: boolean;
  handle(request: Request): Promise<Response>;
}

export interface Platforms {
  adapters: Adapter[];
  callbacks: Callback[];
}

export async function loadPlatforms(options: RegistryOptions): Promise<Platforms> {
  const { telegram, discord, slack } = options.config.platforms;
  const loaded = await Promise.all([
    ...botsOf(telegram, "telegram").map((bot) => unlessBroken("telegram", bot, loadTelegram(bot, options))),
    ...botsOf(discord, "discord").map((bot) => unlessBroken("discord", bot, loadDiscord(bot, options))),
    ...botsOf(slack, "slack").map((bot) => unlessBroken("slack", bot, loadSlack(bot, options))),
    ...loadWebhooks(options),
  ]);
  return {
    adapters: loaded.map(({ adapter }) => adapter),
    callbacks: loaded.flatMap(({ callbacks }) => callbacks ?? []),
  };
}

interface Loaded {
  adapter: Adapter;
  callbacks?: Callback[];
}

/** A bot that can't even be made is one platform's trouble, not that of the others. */
async function unlessBroken(
  platform: string,
  { name }: { name: string },
  loading: Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await loading;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return { adapter: unusable(platform, name, error) };
  }
}

/** Where the files of a chat go. */
function mediaOf({ config, homeDir, mayFetch }: RegistryOptions) {
  return {
    home: homeDir,
    folder: MEDIA_FOLDERS.incoming,
    maxBytes: config.media.max_download_bytes,
    mayFetch,
  };
}

type Named<Platform extends keyof Config["platforms"]> = Config["platforms"][Platform] & { name: string };

async function loadTelegram(bot: Named<"telegram">, options: RegistryOptions): Promise<Loaded> {
  const { telegramAdapter } = await import("./telegram/index.js");
  const adapter = telegramAdapter({
    token: bot.token!,
    apiRoot: bot.api_root,
    groupMessagesPerMinute: bot.group_messages_per_minute,
    replyToMode: bot.reply_to_mode,
    media: mediaOf(options),
    log: options.log,
    ...telegramWebhook(bot),
  });
  const { webhookPath } = adapter;
  if (webhookPath === null) return { adapter };
  return {
    adapter,
    callbacks: [{ path: webhookPath, handle: (request: Request) => adapter.handleWebhook(request) }],
  };
}

async function loadDiscord(bot: Named<"discord">, options: RegistryOptions): Promise<Loaded> {
  const { discordAdapter } = await import("./discord/index.js");
  const adapter = discordAdapter({
    token: bot.token!,
    apiUrl: bot.api_url,
    replyToMode: bot.reply_to_mode,
    replyInThread: bot.auto_thread ?? bot.reply_in_thread,
    rolesMatter: bot.allowed_roles.length > 0,
    streamCursor: options.config.streaming.cursor,
    catchUpMaxAgeSeconds: bot.catch_up_max_age,
    media: mediaOf(options),
    log: options.log,
  });
  return { adapter };
}

async function loadSlack(bot: Named<"slack">, options: RegistryOptions): Promise<Loaded> {
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
    streamCursor: options.config.streaming.cursor,
    catchUpMaxAgeSeconds: bot.catch_up_max_age,
    media: mediaOf(options),
    log: options.log,
  });
  if (bot.app_token !== null) return { adapter };
  const path = slackEventsPath(bot.name);
  return { adapter, callbacks: [{ path, handle: (request: Request) => adapter.handleRequest(request) }] };
}

function loadWebhooks({ config, findTarget, outcome, log }: RegistryOptions): Promise<Loaded>[] {
  const hooks = Object.entries(config.webhooks);
  if (hooks.length === 0) return [];
  const load = async () => {
    const { ACCOUNT, PLATFORM, webhookAdapter } = await import("./webhook/index.js");
    const adapter = webhookAdapter({
      hooks: hooks.map(hookFrom),
      findTarget,
      outcome: (eventId) => outcome(PLATFORM, ACCOUNT, eventId),
      log,
    });
    return { adapter, callbacks: adapter.callbacks };
  };
  return [load()];
}

function hookFrom([name, hook]: [string, WebhookConfig]): Hook {
  const { deliver, signature: style, tolerance: toleranceSeconds, callback_secret } = hook;
  const toAddress = isAddress(deliver);
  return {
    name,
    style,
    proof: { style, secret: hook.secret, header: hook.header, toleranceSeconds },
    idHeader: hook.id_header,
    uniqueBody: hook.unique_body,
    toleranceSeconds,
    events: hook.events,
    prompt: hook.prompt,
    deliver: toAddress ? null : deliver,
    callback: toAddress
      ? { url: deliver, secret: callback_secret ?? "", allowPrivate: hook.allow_private }
      : null,
  };
}
