/** The bots that a platform's settings name, each with what it needs to run. */
import type { Config } from "../config/schema.js";

interface BotSettings {
  enabled: boolean;
  token: string | null;
  accounts: Record<string, object>;
}

/** The platform's own bot, and those that are named under `accounts`: each with the settings of all, but for its own. */
export function botsOf<P extends BotSettings>(platform: P, name: string): (P & { name: string })[] {
  if (!platform.enabled) return [];
  const own = platform.token === null ? [] : [{ ...platform, name }];
  const others = Object.entries(platform.accounts).map(([key, settings]) => ({
    ...platform,
    ...settings,
    name: key,
  }));
  return [...own, ...others];
}

type Telegram = Config["platforms"]["telegram"] & { name: string };

/**
 * Being called instead of polling: wanted as soon as one of its keys is set, and refused later if the secret is not
 * among them. Every account has a path of its own, or one bot's messages would be taken for another's.
 */
export function telegramWebhook({ webhook, name }: Telegram) {
  const { secret, path, url } = webhook;
  if (secret === null && url === null) return {};
  const own = name === "telegram" ? path : `${path}/${encodeURIComponent(name)}`;
  return { webhook: { secret: secret ?? "", path: own, ...(url === null ? {} : { publicUrl: url }) } };
}

/** Where Slack posts events to, in HTTP mode. */
export function slackEventsPath(name: string): string {
  return name === "slack" ? "/slack/events" : `/slack/${name}/events`;
}
