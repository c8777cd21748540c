import { join } from "node:path";
import type { Config } from "../config/schema.js";
import type { InboundMessage } from "../message.js";
import type { Adapter } from "./adapter.js";

/** Configuration → the platforms that are switched on. Each is loaded on demand: an unused SDK costs nothing. */
export interface RegistryOptions {
  config: Config;
  homeDir: string;
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Record<string, unknown>): void;
  /** Whose files are worth fetching. */
  mayFetch(message: InboundMessage): Promise<boolean>;
}

const MEDIA_FOLDER = "media";
const OUTBOX_FOLDER = "media/out";

export async function platformAdapters({
  config,
  homeDir,
  log,
  mayFetch,
}: RegistryOptions): Promise<Adapter[]> {
  const adapters: Adapter[] = [];
  const media = { home: homeDir, folder: MEDIA_FOLDER, allowedFolders: [OUTBOX_FOLDER], mayFetch };
  const { telegram, discord } = config.platforms;
  if (telegram.enabled && telegram.token !== null) {
    const { telegramAdapter } = await import("./telegram/index.js");
    adapters.push(
      telegramAdapter({
        token: telegram.token,
        apiRoot: telegram.api_root,
        replyToMode: telegram.reply_to_mode,
        catchUpMaxAgeSeconds: telegram.catch_up_max_age,
        media,
        log,
      }),
    );
  }
  if (discord.enabled && discord.token !== null) {
    const { discordAdapter } = await import("./discord/index.js");
    adapters.push(
      discordAdapter({
        token: discord.token,
        apiUrl: discord.api_url,
        replyToMode: discord.reply_to_mode,
        replyInThread: discord.reply_in_thread,
        catchUpMaxAgeSeconds: discord.catch_up_max_age,
        media: { folder: join(homeDir, MEDIA_FOLDER), allowedFolders: [join(homeDir, OUTBOX_FOLDER)] },
        log,
      }),
    );
  }
  return adapters;
}
