import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, botToken, httpUrl, id, listOf, orNull, sample, text } from "../settings.js";

const settings = botSettings({
  credentials: ["token"],
  account: { token: text },
  habits: { requireMention: true, replyInThread: false },
  keys: {
    token: botToken,
    api_url: httpUrl
      .default("https://discord.com/api")
      .describe("Address of the REST API, without the version"),
    allowed_roles: listOf(id).describe("Roles of a server whose members may talk to the bot there"),
    auto_thread: sample(
      orNull(z.boolean()).describe("Hermes' name for reply_in_thread; wins when it is set"),
      "true",
    ),
  },
});

export const discord = definePlatform({
  name: "discord",
  label: "Discord",
  summary: "Discord; DISCORD_BOT_TOKEN is enough",
  settings,
  ids: {
    chat: /^\d{1,20}$/,
    example: "1234567890123456789",
    user: "numbers: Settings → Advanced → Developer Mode, then right click on a person → Copy User ID",
  },
  unsolicited: true,
  position: 2,
  capabilities: ["files", "streaming", "typing", "menu", "buttons", "lookup"],
  setup: {
    steps: [
      "Open https://discord.com/developers/applications → New Application",
      "Bot → Privileged Gateway Intents → switch on Message Content Intent",
      "Bot → Reset Token, and copy it",
    ],
    secrets: [
      {
        key: "token",
        name: "Bot token",
        variable: "DISCORD_BOT_TOKEN",
        shape: /^[^\s.]+\.[^\s.]+\.\S+$/,
        example: "MTIz….GAbc12.…",
        help: "the bot's token on discord",
      },
    ],
  },
  docs: {
    page: "docs/platforms/discord.md",
    secrets: "`DISCORD_BOT_TOKEN`",
    receives: "gateway",
  },
  promises: {
    inbound: { loses: "nothing", how: "are fetched from the channels" },
    outbound: { repeats: "never", how: "is found by its text and the message it answers" },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async ({ token, api_url: apiUrl }, options) => {
    const { probeDiscord } = await import("./probe.js");
    return probeDiscord({ token: token!, apiUrl }, options);
  },
  load,
});

async function load(bot: BotOf<typeof settings>, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { discordAdapter } = await import("./index.js");
  const adapter = discordAdapter({
    token: bot.token!,
    apiUrl: bot.api_url,
    replyToMode: bot.reply_to_mode,
    replyInThread: bot.auto_thread ?? bot.reply_in_thread,
    rolesMatter: bot.allowed_roles.length > 0,
    streamCursor: deps.config.streaming.cursor,
    catchUpMaxAgeSeconds: bot.catch_up_max_age,
    media: deps.media,
    log: deps.log,
  });
  return { adapter };
}
