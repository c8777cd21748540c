/** Configuration → how to ask each platform about its bots. As with the adapters, an unused SDK isn't loaded. */
import type { Config } from "../config/schema.js";
import { botsOf, slackEventsPath, telegramWebhook } from "./bots.js";
import type { BotProbe } from "./probe.js";

export function botProbes({ platforms }: Config): BotProbe[] {
  return [
    ...botsOf(platforms.telegram, "telegram").map((bot): BotProbe => {
      const { token, api_root: apiRoot, require_mention: requireMention } = bot;
      const settings = { token: token!, apiRoot, requireMention, ...telegramWebhook(bot) };
      return {
        platform: "telegram",
        name: bot.name,
        probe: async (options) => (await import("./telegram/probe.js")).probeTelegram(settings, options),
      };
    }),
    ...botsOf(platforms.discord, "discord").map(({ name, token, api_url: apiUrl }): BotProbe => {
      const settings = { token: token!, apiUrl };
      return {
        platform: "discord",
        name,
        probe: async (options) => (await import("./discord/probe.js")).probeDiscord(settings, options),
      };
    }),
    ...botsOf(platforms.slack, "slack").map((bot): BotProbe => {
      const settings = {
        token: bot.token!,
        appToken: bot.app_token,
        signingSecret: bot.signing_secret,
        apiUrl: bot.api_url,
        eventsPath: slackEventsPath(bot.name),
      };
      return {
        platform: "slack",
        name: bot.name,
        probe: async (options) => (await import("./slack/probe.js")).probeSlack(settings, options),
      };
    }),
  ];
}
