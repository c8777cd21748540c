import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, botToken, httpUrl, id, listOf, orNull, sample, text } from "../settings.js";

const NAME = "telegram";

const webhook = z.strictObject({
  secret: sample(
    orNull(text).describe("Comes with every call; setting it switches from polling to a webhook"),
    `\${TELEGRAM_WEBHOOK_SECRET}`,
  ),
  path: text.default("/telegram/webhook").describe("Where on the HTTP port Telegram calls"),
  url: sample(
    orNull(httpUrl).describe("The HTTP port as Telegram reaches it; unset: the webhook is set by hand"),
    '"https://bot.example.org"',
  ),
});

const settings = botSettings({
  credentials: ["token"],
  account: { token: text },
  keys: {
    token: botToken,
    webhook: webhook.prefault({}).describe("A webhook instead of polling"),
    api_root: httpUrl.default("https://api.telegram.org").describe("Address of the Bot API server"),
    group_messages_per_minute: z
      .int()
      .min(0)
      .max(100)
      .default(20)
      .describe("Messages per minute in a group, the rest waits; 0 = until Telegram makes us wait"),
    free_response_chats: listOf(id).describe("Groups where no mention is needed"),
    allowed_chats: listOf(id).describe("Answer in these groups only; empty = in all"),
    allowed_topics: listOf(id).describe("Answer in these forum topics only; empty = in all"),
    ignored_threads: listOf(id).describe("Never answer in these forum topics"),
    guest_mode: z.boolean().default(false).describe("Answer a mention also in groups that aren't allowed"),
  },
});

type Bot = BotOf<typeof settings>;

export const telegram = definePlatform({
  name: NAME,
  label: "Telegram",
  summary: "Telegram; TELEGRAM_BOT_TOKEN is enough",
  settings,
  ids: {
    chat: /^(-?\d{1,16}|@\w{4,})$/,
    example: "-1001234567890",
    exampleName: "Family",
    user: "the numbers that https://t.me/userinfobot shows",
  },
  unsolicited: true,
  position: 1,
  capabilities: ["files", "streaming", "typing", "menu", "buttons"],
  setup: {
    steps: [
      "Open https://t.me/BotFather and send /newbot",
      'Give it a name, and a username that ends in "bot"',
      "Copy the token from its answer",
    ],
    secrets: [
      {
        key: "token",
        name: "Bot token",
        variable: "TELEGRAM_BOT_TOKEN",
        shape: /^\d+:\S+$/,
        example: "123456789:ABC…",
        help: "the bot's token on telegram",
      },
    ],
  },
  docs: {
    page: "docs/platforms/telegram.md",
    secrets: "`TELEGRAM_BOT_TOKEN`",
    receives: "long polling, or a webhook (`platforms.telegram.webhook`)",
  },
  promises: {
    inbound: { loses: "nothing", how: "are kept by Telegram for 24 hours" },
    outbound: {
      repeats: "marked",
      how: "is sent again, marked as a possible repeat: Telegram can't be asked",
    },
  },
  apiAddress: ({ api_root }) => api_root,
  probe: async (bot, options) => {
    const { token, api_root: apiUrl, require_mention: requireMention } = bot;
    const { probeTelegram } = await import("./probe.js");
    return probeTelegram({ token: token!, apiUrl, requireMention, ...webhookOf(bot) }, options);
  },
  load,
});

async function load(bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { telegramAdapter } = await import("./index.js");
  const adapter = telegramAdapter({
    token: bot.token!,
    apiUrl: bot.api_root,
    groupMessagesPerMinute: bot.group_messages_per_minute,
    replyToMode: bot.reply_to_mode,
    media: deps.media,
    log: deps.log,
    ...webhookOf(bot),
  });
  const { webhookPath: path } = adapter;
  const handle = (request: Request) => adapter.handleWebhook(request);
  return { adapter, callbacks: path === null ? [] : [{ path, handle }] };
}

/** A webhook is used once its secret or URL is set. Every account has its own path, which tells their messages apart. */
function webhookOf({ webhook: { secret, path, url }, name }: Bot) {
  if (secret === null && url === null) return {};
  const own = name === NAME ? path : `${path}/${encodeURIComponent(name)}`;
  return { webhook: { secret: secret ?? "", path: own, ...(url === null ? {} : { publicUrl: url }) } };
}
